import type { OwnFiles } from "./own-files.ts";
import { type PodNetworkName, podNetworks } from "../cni/pod-networks.ts";
import {
  type KnownPrograms,
  knownPrograms,
  officialSoftware,
  programArtifacts,
  withOwnPrograms,
  type WindowsSoftware,
} from "./software.ts";

/** Settings that say which programs the Windows nodes have. */
interface SoftwareSettings {
  readonly windows: {
    readonly containerdVersion: string;
    readonly checksums: KnownPrograms["checksums"];
  };
  readonly cluster: { readonly kubernetesVersion: string };
  /** Undefined: only the programs that every node has, whatever its pod network. */
  readonly cni?: { readonly kind: PodNetworkName };
}

/** The published software of Windows nodes according to the settings, with the checksums and files that this clone has. */
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

interface OwnSoftwareSettings extends SoftwareSettings {
  readonly windows: SoftwareSettings["windows"] & { readonly ownFiles: OwnFiles };
}

/** The same, with the user's own programs in place of published ones. */
export function ownSoftware(settings: OwnSoftwareSettings): WindowsSoftware {
  return withOwnPrograms(stackSoftware(settings), settings.windows.ownFiles);
}

/** Which programs this host pushes to the Windows machines of a lab. Their image may carry those that are not the user's own. */
export type PushedPrograms = "all" | "own" | "none";

/** These programs. */
export function pushedSoftware(
  settings: OwnSoftwareSettings,
  pushed: PushedPrograms,
): ReturnType<typeof programArtifacts> {
  if (pushed === "none") return [];
  const all = programArtifacts(ownSoftware(settings));
  return pushed === "all" ? all : all.filter(([, { releases }]) => releases !== undefined);
}
