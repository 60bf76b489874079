import { podNetworkNamed } from "../components/cni/pod-networks.ts";
import {
  knownPrograms,
  officialSoftware,
  withOwnPrograms,
  type WindowsSoftware,
} from "../components/windows/software.ts";
import type { ExistingSettings } from "../config/existing.ts";

/** @param podNetwork kind of the pod network whose programs are included. Default: that of the settings. */
export function existingSoftware(
  { windows, cluster, cni }: Pick<ExistingSettings, "windows" | "cluster" | "cni">,
  podNetwork = cni.kind,
): WindowsSoftware {
  const versions = {
    kubernetes: cluster.kubernetesVersion,
    containerd: windows.containerdVersion,
  };
  const network = podNetworkNamed(podNetwork);
  const named = network?.existing?.programs?.(cni) ?? {};
  const checksums = Object.fromEntries(
    Object.entries(named).map(([name, { sha256 }]) => [name, sha256] as const),
  );
  const published = officialSoftware(
    versions,
    knownPrograms({ ...windows.checksums, ...checksums }),
    network && { ...network.programs, ...named },
  );
  return withOwnPrograms(published, windows.ownFiles);
}
