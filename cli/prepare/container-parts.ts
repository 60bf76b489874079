import path from "node:path";
import { nodeImage, nodeImageReference } from "../../images/node/artifact.ts";
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
