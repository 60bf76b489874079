import { imageSource, type ImageSourceName } from "../../config/image-sources.ts";
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
export interface SoftwareSettings {
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

export interface PushedSettings extends OwnSoftwareSettings {
  readonly windows: OwnSoftwareSettings["windows"] & {
    readonly image: { readonly kind: ImageSourceName };
  };
  readonly ownNodes: readonly unknown[];
}

/** The programs that this host pushes to Windows machines of a lab: those that their image does not contain. */
export function pushedSoftware(settings: PushedSettings): ReturnType<typeof programArtifacts> {
  const isCarried = imageSource(settings).carriesPrograms && settings.ownNodes.length === 0;
  const all = programArtifacts(ownSoftware(settings));
  return isCarried ? all.filter(([, { releases }]) => releases !== undefined) : all;
}
