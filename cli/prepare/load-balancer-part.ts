import path from "node:path";
import { loadBalancerReference } from "../../components/controlplane/load-balancer.ts";
import { loadBalancerImage } from "../../images/load-balancer/artifact.ts";
import { archiveName } from "../../images/node/build-node-image.ts";
import type { StackPart } from "./stack-part.ts";

/** The image of the load balancer in front of several control planes. */
export const balancer: StackPart = {
  artifact: loadBalancerImage,
  note: (folder) =>
    Promise.resolve({
      loadBalancerImage: {
        reference: loadBalancerReference,
        archive: path.join(folder, archiveName),
      },
    }),
};
