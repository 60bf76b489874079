import * as z from "zod";
import { login } from "../components/machine/existing/login.ts";
import type { ExistingNode } from "../components/machine/existing/settings.ts";
import { hypervisor } from "../components/machine/libvirt/settings.ts";
import { machineMakers, type MakerSection } from "../components/machine/machine-makers.ts";
import type { OwnFiles } from "../components/windows/own-files.ts";
import type { GivenFiles } from "./given-files.ts";
import type { Placement } from "./placement.ts";
import { caCertificates } from "./sections/ca-certificates.ts";
import { checksums } from "./sections/checksums.ts";
import { programs } from "./sections/own-programs.ts";
import { scripts } from "./sections/own-scripts.ts";
import { cluster } from "./sections/cluster.ts";
import { cni } from "./sections/cni.ts";
import { lab } from "./sections/lab.ts";
import { linux } from "./sections/linux.ts";
import { network, type Segment } from "./sections/network.ts";
import { registry } from "./sections/registry.ts";
import { machineNodes, nodes, type NodeSettings } from "./sections/nodes.ts";
import { windows } from "./sections/windows.ts";

const makers = Object.fromEntries(
  Object.entries(machineMakers).map(([section, { settings }]) => [section, settings]),
) as { readonly [Section in MakerSection]: (typeof machineMakers)[Section]["settings"] };

/** All settings of a lab as written; values that are derived from others may still be missing. */
export const settingsSchema = z.strictObject({
  lab: lab.prefault({}).meta({ description: "The lab itself." }),
  network: network
    .prefault({})
    .meta({ description: "The network segment that all machines and containers share." }),
  cluster: cluster
    .prefault({})
    .meta({ description: "Control plane and Linux workers, created by kind." }),
  cni: cni.prefault({}).meta({ description: "Network of the pods." }),
  hypervisor: hypervisor.prefault({}).meta({ description: "The hypervisor on this host." }),
  ...makers,
  windows: windows
    .extend({ checksums, programs, scripts })
    .prefault({})
    .meta({ description: "Settings of all Windows machines." }),
  linux: linux.prefault({}).meta({
    description: "Settings of all Linux nodes in virtual machines (`nodes[].os: linux`).",
  }),
  caCertificates: caCertificates.meta({
    description:
      "Absolute paths of files on this host with certificates (PEM or DER) that all nodes trust, and thereby their containerd and kubelet: e.g. that of the CA of your registry, mirror or proxy. Pods do not get them (docs/own-binaries.md#scripts-and-certificates).",
  }),
  registry: registry.meta({
    description:
      "`true`: the lab has an image registry, `localhost:5001` on this host and on all nodes (docs/own-images.md#a-registry). One lab of a host can have it. Default: `false`.",
  }),
  login: login.prefault({}).meta({
    description: "How to log in to machines that are there (`nodes[].ssh`).",
  }),
  nodes: nodes.meta({
    description: "The Windows and Linux nodes in virtual machines, and on machines that are there.",
  }),
});

export type WrittenSettings = z.output<typeof settingsSchema>;

/** The settings that checks get: as written, plus the values derived from the lab's name and the image. */
export interface NamedSettings extends WrittenSettings {
  lab: Required<WrittenSettings["lab"]>;
  network: Segment;
  windows: WrittenSettings["windows"] & {
    readonly containerdVersion: string;
    /** The files that `programs` names. */
    readonly ownFiles: OwnFiles;
  };
  /** What is in the files that `caCertificates` and `windows.scripts` name. */
  readonly given: GivenFiles;
}

/** The checked settings with their defaults. */
export interface Settings extends NamedSettings {
  /** Nodes whose machines are made. */
  nodes: NodeSettings[];
  linuxNodes: NodeSettings[];
  /** Windows nodes whose machines are there. */
  ownNodes: ExistingNode[];
  placement: Placement[];
}

/** Nodes on machines: those that kindows makes, and those that were there before. */
export function nodesOnMachines(
  settings: Pick<Settings, "nodes" | "linuxNodes" | "ownNodes">,
): (NodeSettings | ExistingNode)[] {
  return [...machineNodes(settings), ...settings.ownNodes];
}
