import { podNetworks } from "../cni/registry.ts";
import type { Settings } from "../../config/settings.ts";
import { knownPrograms } from "./known-programs.ts";
import { officialSoftware, type WindowsSoftware } from "./software.ts";

/** The settings that say what is installed. */
export interface SoftwareSettings extends Pick<Settings, "windows" | "cluster"> {
  /** Without: what every node gets, whatever its pod network. */
  readonly cni?: Pick<Settings["cni"], "kind">;
}

/** What the settings have installed on Windows nodes, with what this clone knows of it. */
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
