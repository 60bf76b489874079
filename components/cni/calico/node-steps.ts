import { externalNetwork } from "../../windows/external-network.ts";
import type { PodNetworkSteps } from "../node-steps.ts";

/** Calico's agent on Windows runs in a pod; the HNS network it needs is made before it does so at a time of its own. */
export const calicoNodeSteps: PodNetworkSteps = {
  beforeJoin: externalNetwork(({ setup }) =>
    setup.podNetwork.kind === "calico" ? "External" : undefined,
  ),
  afterJoin: [],
};
