import { type PodNetworkName, podNetworks } from "../cni/pod-networks.ts";
import {
  type KnownPrograms,
  knownPrograms,
  officialSoftware,
  type WindowsSoftware,
} from "./software.ts";

/** Settings that say which programs the Windows nodes have. */
export interface SoftwareSettings {
  readonly windows: {
    readonly containerdVersion: string;
    readonly checksums: KnownPrograms["checksums"];
  };
  readonly cluster: { readonly kubernetesVersion: string };
  /** Undefined: only the programs that every node has, whatever its pod network. */
  readonly cni?: { readonly kind: PodNetworkName };
}

/** The software of Windows nodes according to the settings, with the checksums and files that this clone has. */
export function stackSoftware({ windows, cluster, cni }: SoftwareSettings): WindowsSoftware {
  const versions = {
    kubernetes: cluster.kubernetesVersion,
    containerd: windows.containerdVersion,
  };
  return officialSoftware(
    versions,
    knownPrograms(windows.checksums),
    cni && podNetworks[cni.kind].programs,
  );
}
