import { type CalicoRelease, calicoRelease } from "../components/cni/calico/release.ts";
import type { PushedPrograms } from "../components/windows/stack-software.ts";
import { imageSource } from "../config/image-sources.ts";
import type { Settings } from "../config/settings.ts";

/** What a lab needs on this host, as its settings say it: the same for whoever prepares, fetches, locks or checks it. */
export interface StackNeeds {
  /** What the disk of Windows machines is made from; undefined if the lab makes no such machine. */
  readonly windowsImage: Settings["windows"]["image"] | undefined;
  /** The same for Linux machines. */
  readonly linuxImage: Settings["linux"]["image"] | undefined;
  /** Programs that this host pushes to Windows machines: their image lacks them, or somebody else has made the machines. */
  readonly pushedPrograms: PushedPrograms;
  /** kind's node image in the settings; undefined: the official one, or one that is built here. */
  readonly nodeImage: string | undefined;
  /** Whether kind starts a load balancer in front of several control planes. */
  readonly loadBalancer: boolean;
  /** Whether the lab has an image registry. */
  readonly registry: boolean;
  /** The release of Calico whose definitions are applied. */
  readonly calico: CalicoRelease | undefined;
}

/** The settings that say what a lab needs. */
export type NeedingSettings = Pick<Settings, "windows" | "linux" | "cluster" | "cni" | "registry"> &
  Readonly<Record<"nodes" | "linuxNodes" | "ownNodes", readonly unknown[]>>;

/** Reads nothing but the settings. */
export function stackNeeds(settings: NeedingSettings): StackNeeds {
  const { windows, linux, nodes, linuxNodes, cluster, cni, registry } = settings;
  return {
    windowsImage: nodes.length > 0 ? windows.image : undefined,
    linuxImage: linuxNodes.length > 0 ? linux.image : undefined,
    pushedPrograms: pushedPrograms(settings),
    nodeImage: cluster.nodeImage,
    loadBalancer: cluster.controlPlanes > 1,
    registry,
    calico: cni.kind === "calico" ? calicoRelease(cni.calico.version) : undefined,
  };
}

function pushedPrograms(settings: NeedingSettings): PushedPrograms {
  const { windows, nodes, ownNodes } = settings;
  if (ownNodes.length > 0) return "all";
  if (nodes.length === 0) return "none";
  if (!imageSource(settings).carriesPrograms) return "all";
  return Object.keys(windows.ownFiles).length > 0 ? "own" : "none";
}
