import type { PodNetworkComponents } from "../components/cni/pod-network.ts";
import { podNetworks } from "../components/cni/pod-networks.ts";
import type { ImageArchive } from "../components/image-archives/image-archive.ts";
import type { ExistingNode } from "../components/machine/existing/settings.ts";
import type { MachineComponents } from "../components/machine/machine-maker.ts";
import { makersComponents, type MakerSection } from "../components/machine/machine-makers.ts";
import type { NodeSettings } from "../config/sections/nodes.ts";
import type { Settings } from "../config/settings.ts";
import type { MachineAccess } from "./existing-cluster.ts";
import * as pulumi from "@pulumi/pulumi";
import { nodeImageNote } from "./node-image.ts";
import { imageArchives, LabImages, recordFiles, recordGiven, recordNetwork } from "./lab-images.ts";
import { loginsTo } from "./own-machines.ts";

/**
 * Sections of the checked settings (docs/settings.md), and what was found for them. Each maker of machines has its own
 * section: the hosts besides this one.
 */
export interface LabArgs extends Pick<Settings, MakerSection> {
  /** The name, with which the names of machines, containers and networks start. */
  readonly lab: Settings["lab"];
  /** The segment that all machines and containers share: ranges, bridge, DNS. */
  readonly network: Settings["network"];
  /** kind's cluster: its version, its control planes and Linux workers, its ranges. */
  readonly cluster: Settings["cluster"];
  /** The network of the pods. */
  readonly cni: Settings["cni"];
  /** Whether the lab has an image registry. */
  readonly registry: boolean;
  /** libvirt on this host. */
  readonly hypervisor: Settings["hypervisor"];
  /** What all Windows machines have in common: disk, account, programs, proxy. */
  readonly windows: Settings["windows"];
  /** The same of Linux machines. */
  readonly linux: Settings["linux"];
  /** The certificates that nodes trust, and the scripts that run on them. */
  readonly given: Settings["given"];
  /** The Windows nodes whose machines are made. */
  readonly nodes: Settings["nodes"];
  /** The Linux nodes whose machines are made. */
  readonly linuxNodes: Settings["linuxNodes"];
  /** The Windows nodes whose machines are there already. */
  readonly ownNodes: Settings["ownNodes"];
  /** The host of each machine that is made, and why it runs there. */
  readonly placement: Settings["placement"];
  /** The nodes whose machines are made in this run: not those on hosts that do not answer. */
  readonly present: readonly NodeSettings[];
  /** What machines and nodes start from, found on this host or, for a preview anywhere, as the last `up` found it. */
  readonly images: LabImages;
  /** Archives with images for Linux nodes, from `kindows:cluster.imageArchives`. */
  readonly archives: readonly ImageArchive[];
  /** The components of the pod network that the settings name. */
  readonly podNetwork: PodNetworkComponents<Settings["cni"]>;
  /** The components of all makers of machines. */
  readonly makers: readonly MachineComponents[];
  /** How to log in to a machine that is there already; undefined in a preview that reads no keys. */
  readonly access: (node: ExistingNode) => MachineAccess | undefined;
}

/**
 * Loads what a lab consists of, and looks for what it starts from. Changes nothing.
 *
 * @throws RunError, which Pulumi prints without a stack trace, if keys, bastions or archives can't be used.
 */
export async function labArgs(
  settings: Settings,
  present: readonly NodeSettings[],
): Promise<LabArgs> {
  const images = await LabImages.ofStack();
  recordNetwork(settings, images);
  recordFiles(settings, images);
  recordGiven(settings, images);
  const note = nodeImageNote(settings.cluster);
  if (note !== undefined) await pulumi.log.warn(note);
  return {
    ...settings,
    present,
    images,
    archives: await imageArchives(settings, images),
    podNetwork: await podNetworks[settings.cni.kind].components(),
    makers: await makersComponents(),
    access: await loginsTo(settings.ownNodes),
  };
}
