import { controlPlaneNames, loadBalancerName } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import type { MachineProxy, NodeSetup } from "../components/windows/node-setup.ts";

/** How the settings want the Windows machines prepared. */
export function nodeSetup(settings: Settings): NodeSetup {
  const { registryMirrors, defenderExclusions, automaticUpdates, dnsServers } = settings.windows;
  return {
    podNetwork: podNetworkOf(settings),
    registryMirrors,
    defenderExclusions,
    automaticUpdates,
    dnsServers,
    proxy: machineProxy(settings),
  };
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

/** The machines' proxy, with everything of the lab itself reached without it; undefined where none is set. */
export function machineProxy(settings: Settings): MachineProxy | undefined {
  const { http = "", https = "", noProxy } = settings.windows.proxy;
  if (http === "" && https === "") {
    return undefined;
  }
  const { lab, network, cluster } = settings;
  const own = [
    "localhost",
    "127.0.0.1",
    ".svc",
    ".cluster.local",
    `.${network.domain}`,
    network.cidr,
    cluster.podCidr,
    cluster.serviceCidr,
    // By name as well: what a name resolves to does not count.
    ...controlPlaneNames(lab.name, cluster.controlPlanes),
    ...(cluster.controlPlanes > 1 ? [loadBalancerName(lab.name)] : []),
  ];
  return { http, https, noProxy: [...new Set([...own, ...noProxy])].join(",") };
}
