import path from "node:path";
import { loadBalancerReference } from "../../components/controlplane/load-balancer.ts";
import { localRegistry } from "../../config/local-registry.ts";
import { nodeImage, nodeImageReference } from "../../images/node/artifact.ts";
import { archiveName } from "../../images/node/build-node-image.ts";
import type { Artifact } from "../../toolchain/artifact.ts";
import type { StackPart } from "./stack-part.ts";

/** An image for Docker that is built here: an archive for `docker load`. */
function imagePart(
  noted: "nodeImage" | "loadBalancerImage" | "registryImage",
  artifact: Artifact,
  reference: string | Promise<string>,
): StackPart {
  return {
    artifact,
    note: async (folder) => ({
      [noted]: { reference: await reference, archive: path.join(folder, archiveName) },
    }),
  };
}

/** kind's images, where they are built here. */
export async function containerParts(loadBalancer: boolean): Promise<readonly StackPart[]> {
  const node = imagePart("nodeImage", nodeImage, nodeImageReference());
  const parts = [{ ...node, largeGiB: [[nodeImage, 3] as const] }];
  if (!loadBalancer) return parts;
  const { loadBalancerImage } = await import("../../images/load-balancer/artifact.ts");
  return [...parts, imagePart("loadBalancerImage", loadBalancerImage, loadBalancerReference)];
}

/** The image of the lab's registry, where it is built here. */
export async function registryPart(): Promise<StackPart> {
  const { registryImage } = await import("../../images/registry/artifact.ts");
  return imagePart("registryImage", registryImage, localRegistry.image);
}
