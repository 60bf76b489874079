import { kindContainers, labNames } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import type { NodeSetup } from "../components/windows/node-setup.ts";
import { windowsSetup } from "./windows-setup.ts";

/** How the settings want the Windows machines prepared. */
export function nodeSetup(settings: Settings): NodeSetup {
  return windowsSetup(settings.windows, podNetworkOf(settings), reachedInside(settings));
}

/** What of the pod network there is on a Windows machine; of Flannel nothing is rehearsed. */
function podNetworkOf({ cni, cluster, network, windows }: Settings): NodeSetup["podNetwork"] {
  switch (cni.kind) {
    case "calico":
      return "calico";
    case "flannel":
      return windows.image.kind === "rehearsal"
        ? "none"
        : {
            kind: "flannel",
            network: {
              backend: cni.flannel.backend,
              podCidr: cluster.podCidr,
              serviceCidr: cluster.serviceCidr,
              nodeCidr: network.cidr,
            },
          };
    case "kind-default":
      return "none";
  }
}

/** Everything of the lab itself. */
function reachedInside({ lab, network, cluster }: Settings): string[] {
  return [
    `.${network.domain}`,
    network.cidr,
    cluster.podCidr,
    cluster.serviceCidr,
    // By name as well: what a name resolves to does not count.
    ...kindContainers(labNames(lab.name).kindCluster, cluster.controlPlanes),
  ];
}
