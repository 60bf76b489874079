import type { PodNetworkComponents } from "../components/cni/pod-network.ts";
import { podNetworks } from "../components/cni/pod-networks.ts";
import type { ImageArchive } from "../components/image-archives/image-archive.ts";
import type { ExistingNode } from "../components/machine/existing/settings.ts";
import type { MachineComponents } from "../components/machine/machine-maker.ts";
import { makersComponents } from "../components/machine/machine-makers.ts";
import type { NodeSettings } from "../config/sections/nodes.ts";
import type { Settings } from "../config/settings.ts";
import type { MachineAccess } from "./existing-cluster.ts";
import * as pulumi from "@pulumi/pulumi";
import { nodeImageNote } from "./node-image.ts";
import { imageArchives, LabImages, recordFiles, recordGiven, recordNetwork } from "./lab-images.ts";
import { loginsTo } from "./own-machines.ts";

export interface LabArgs {
  /** The checked settings. */
  readonly settings: Settings;
  /** The nodes on machines that are made, without those on hypervisors that do not answer. */
  readonly nodes: readonly NodeSettings[];
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
  nodes: readonly NodeSettings[],
): Promise<LabArgs> {
  const images = await LabImages.ofStack();
  recordNetwork(settings, images);
  recordFiles(settings, images);
  recordGiven(settings, images);
  const note = nodeImageNote(settings.cluster);
  if (note !== undefined) await pulumi.log.warn(note);
  return {
    settings,
    nodes,
    images,
    archives: await imageArchives(settings, images),
    podNetwork: await podNetworks[settings.cni.kind].components(),
    makers: await makersComponents(),
    access: await loginsTo(settings.ownNodes),
  };
}
