import path from "node:path";
import { nodeImage, nodeImageReference } from "../../images/node/artifact.ts";
import { registryImage } from "../../images/registry/artifact.ts";
import { localRegistry } from "../../config/local-registry.ts";
import { archiveName } from "../../images/node/build-node-image.ts";
import type { StackPart } from "./stack-part.ts";

const node: StackPart = {
  artifact: nodeImage,
  note: async (folder) => ({
    nodeImage: { reference: await nodeImageReference(), archive: path.join(folder, archiveName) },
  }),
  largeGiB: [[nodeImage, 3]],
};

/** kind's images, where they are built here. */
export async function containerParts(loadBalancer: boolean): Promise<readonly StackPart[]> {
  return loadBalancer ? [node, (await import("./load-balancer-part.ts")).balancer] : [node];
}

/** The registry's image, where it is built here. */
export const registryParts: readonly StackPart[] = [
  {
    artifact: registryImage,
    note: (folder) =>
      Promise.resolve({
        registryImage: { reference: localRegistry.image, archive: path.join(folder, archiveName) },
      }),
  },
];
