import { kindContainers, labNames } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import type { NodeSetup } from "../components/windows/node-setup.ts";
import { podNetworks } from "../components/cni/registry.ts";
import { windowsSetup } from "./windows-setup.ts";

/** How the Windows machines are prepared, according to the settings. */
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
    // Names too, as a proxy exception does not match the address that a name resolves to.
    ...kindContainers(labNames(lab.name).kindCluster, cluster.controlPlanes),
  ];
}
