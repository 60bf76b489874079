import type { ControlPlane } from "../components/controlplane/control-plane.ts";
import type { FoundPodNetwork } from "../components/controlplane/existing/judge-pod-network.ts";
import type { MachineProxy, NodeSetup } from "../components/windows/node-setup.ts";
import type { ExistingSettings } from "../config/existing/settings.ts";

type Ranges = Pick<ControlPlane, "podCidr" | "serviceCidr">;

/** How the settings, and the cluster's pod network, want the machines prepared. */
export function existingSetup(
  settings: ExistingSettings,
  network: FoundPodNetwork,
  ranges: Ranges,
): NodeSetup {
  const { registryMirrors, defenderExclusions, automaticUpdates, dnsServers } = settings.windows;
  return {
    podNetwork: podNetworkOf(settings, network, ranges),
    registryMirrors,
    defenderExclusions,
    automaticUpdates,
    dnsServers,
    proxy: proxyOf(settings, ranges),
  };
}

function podNetworkOf(
  { cni }: ExistingSettings,
  network: FoundPodNetwork,
  { podCidr, serviceCidr }: Ranges,
): NodeSetup["podNetwork"] {
  return network.kind === "flannel"
    ? {
        kind: "flannel",
        // Asked for wherever there is Flannel: by the settings' checks, or when the cluster was looked at.
        network: { backend: network.backend, podCidr, serviceCidr, nodeCidr: cni.nodeCidr ?? "" },
      }
    : network.kind;
}

/** The machines' proxy, with all of the cluster reached without it; undefined where none is set. */
function proxyOf(
  { windows, cluster, nodes }: ExistingSettings,
  { podCidr, serviceCidr }: Ranges,
): MachineProxy | undefined {
  const { http = "", https = "", noProxy } = windows.proxy;
  if (http === "" && https === "") {
    return undefined;
  }
  const own = [
    ...["localhost", "127.0.0.1", ".svc", ".cluster.local", podCidr, serviceCidr],
    ...(cluster.endpoint === undefined ? [] : [cluster.endpoint.replace(/:\d+$/, "")]),
    ...cluster.hostsEntries.flatMap(({ name, address }) => [name, address]),
    ...nodes.map(({ address }) => address),
  ];
  return { http, https, noProxy: [...new Set([...own, ...noProxy])].join(",") };
}
