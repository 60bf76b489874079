import type { ControlPlane } from "../components/controlplane/control-plane.ts";
import type { FoundPodNetwork } from "../components/controlplane/existing/judge-pod-network.ts";
import type { NodeSetup } from "../components/windows/node-setup.ts";
import type { ExistingSettings } from "../config/existing/settings.ts";
import { windowsSetup } from "./windows-setup.ts";

type Ranges = Pick<ControlPlane, "podCidr" | "serviceCidr">;

/** How the settings, and the cluster's pod network, want the machines prepared. */
export function existingSetup(
  settings: ExistingSettings,
  network: FoundPodNetwork,
  ranges: Ranges,
): NodeSetup {
  return windowsSetup(
    settings.windows,
    podNetworkOf(settings, network, ranges),
    reachedInside(settings, ranges),
  );
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

/** All of the cluster. */
function reachedInside(
  { cluster, nodes }: ExistingSettings,
  { podCidr, serviceCidr }: Ranges,
): string[] {
  return [
    podCidr,
    serviceCidr,
    ...(cluster.endpoint === undefined ? [] : [cluster.endpoint.replace(/:\d+$/, "")]),
    ...cluster.hostsEntries.flatMap(({ name, address }) => [name, address]),
    ...nodes.map(({ address }) => address),
  ];
}
