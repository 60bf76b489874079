import { kindContainers, labNames } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import type { NodeSetup, MachineProxy } from "../components/windows/node-setup.ts";
import { usualDomain } from "../components/controlplane/existing/cluster-configuration.ts";
import { podNetworks } from "../components/cni/pod-networks.ts";
import type { AnyWindows } from "../config/sections/windows.ts";

/** What the setup of a lab's Windows nodes follows from. */
export type SetupSettings = Pick<
  Settings,
  "lab" | "network" | "hypervisors" | "cluster" | "cni" | "windows" | "given" | "nodes" | "ownNodes"
>;

export function nodeSetup(settings: SetupSettings): NodeSetup {
  const podNetwork = podNetworks[settings.cni.kind].onWindows(settings);
  return windowsSetup(settings, podNetwork, reachedInside(settings));
}

/** The same for machines that are there, which keep their time zone, as in a stack of existing machines. */
export function ownSetup(settings: SetupSettings): NodeSetup {
  const setup: NodeSetup & { timeZone?: string } = { ...nodeSetup(settings) };
  delete setup.timeZone;
  return setup;
}

function reachedInside({ lab, network, hypervisors, cluster }: SetupSettings): string[] {
  return [
    `.${usualDomain}`,
    `.${network.domain}`,
    network.cidr,
    ...hypervisors.flatMap(({ cidr }) => cidr ?? []),
    cluster.podCidr,
    cluster.serviceCidr,
    // Names too, because a proxy exception for an address does not match a name that resolves to it.
    ...kindContainers(labNames(lab.name).kindCluster, cluster.controlPlanes),
  ];
}

/** Proxy exceptions in any cluster: the machine itself, and short names in the cluster's DNS. */
const alwaysDirect = ["localhost", "127.0.0.1", ".svc"];

/** @param direct hosts, domains and ranges that are reached without the proxy */
export function windowsSetup(
  { windows, given }: { readonly windows: AnyWindows } & Pick<Settings, "given">,
  podNetwork: NodeSetup["podNetwork"],
  direct: readonly string[],
): NodeSetup {
  return {
    ...windows,
    podNetwork,
    proxy: machineProxy(windows.proxy, direct),
    certificates: given.certificates,
    ownScripts: given.scripts,
  };
}

function machineProxy(
  { http = "", https = "", noProxy }: AnyWindows["proxy"],
  direct: readonly string[],
): MachineProxy | undefined {
  if (http === "" && https === "") return undefined;
  return { http, https, noProxy: [...new Set([...alwaysDirect, ...direct, ...noProxy])].join(",") };
}
