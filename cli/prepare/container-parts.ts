import path from "node:path";
import { loadBalancerReference } from "../../components/controlplane/load-balancer.ts";
import { loadBalancerImage } from "../../images/load-balancer/artifact.ts";
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

const balancer: StackPart = {
  artifact: loadBalancerImage,
  note: (folder) =>
    Promise.resolve({
      loadBalancerImage: {
        reference: loadBalancerReference,
        archive: path.join(folder, archiveName),
      },
    }),
};

/** kind's images, where they are built here. */
export function containerParts(loadBalancer: boolean): readonly StackPart[] {
  return loadBalancer ? [node, balancer] : [node];
}
