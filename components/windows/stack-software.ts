import { podNetworks } from "../cni/registry.ts";
import type { Settings } from "../../config/settings.ts";
import { knownPrograms, officialSoftware, type WindowsSoftware } from "./software.ts";

/** Settings that determine the software. */
export interface SoftwareSettings extends Pick<Settings, "windows" | "cluster"> {
  /** Without it: programs of every node, whatever its pod network. */
  readonly cni?: Pick<Settings["cni"], "kind">;
}

/** The software of Windows nodes according to the settings, with what this clone knows about it. */
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
