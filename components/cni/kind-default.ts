import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { PodNetwork } from "./pod-network.ts";

/** The network that comes with kind's node image: Linux pods have it as soon as their node is Ready, Windows pods none. */
export function kindDefault({ resource }: ControlPlane): PodNetwork {
  return { resource, windows: undefined, awaitOnWindows: () => undefined };
}
