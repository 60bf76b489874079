import { kindContainers, labNames } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import type { NodeSetup } from "../components/windows/node-setup.ts";
import { podNetworks } from "../components/cni/registry.ts";
import { windowsSetup } from "./windows-setup.ts";

/** How the settings want the Windows machines prepared. */
export function nodeSetup(settings: Settings): NodeSetup {
  const podNetwork = podNetworks[settings.cni.kind].onWindows(settings);
  return windowsSetup(settings.windows, podNetwork, reachedInside(settings));
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
