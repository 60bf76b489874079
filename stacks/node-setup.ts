import { kindContainers, labNames } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import type { NodeSetup, MachineProxy } from "../components/windows/node-setup.ts";
import { podNetworks } from "../components/cni/registry.ts";
import type { AnyWindows } from "../config/sections/windows.ts";

export function nodeSetup(settings: Settings): NodeSetup {
  const podNetwork = podNetworks[settings.cni.kind].onWindows(settings);
  return windowsSetup(settings.windows, podNetwork, reachedInside(settings));
}

function reachedInside({ lab, network, hypervisors, cluster }: Settings): string[] {
  return [
    `.${network.domain}`,
    network.cidr,
    ...hypervisors.flatMap(({ cidr }) => cidr ?? []),
    cluster.podCidr,
    cluster.serviceCidr,
    // Names too, as a proxy exception does not match the address that a name resolves to.
    ...kindContainers(labNames(lab.name).kindCluster, cluster.controlPlanes),
  ];
}

/** Reached without a proxy in any cluster: the machine itself, and names in the cluster's DNS. */
const neverByProxy = ["localhost", "127.0.0.1", ".svc", ".cluster.local"];

/** @param own the cluster's hosts, domains and ranges, which are reached without the proxy */
export function windowsSetup(
  windows: AnyWindows,
  podNetwork: NodeSetup["podNetwork"],
  own: readonly string[],
): NodeSetup {
  return { ...windows, podNetwork, proxy: machineProxy(windows.proxy, own) };
}

function machineProxy(
  { http = "", https = "", noProxy }: AnyWindows["proxy"],
  own: readonly string[],
): MachineProxy | undefined {
  if (http === "" && https === "") return undefined;
  return { http, https, noProxy: [...new Set([...neverByProxy, ...own, ...noProxy])].join(",") };
}
