import * as z from "zod";
import type { Placement } from "./placement.ts";
import { cluster } from "./sections/cluster.ts";
import { cni } from "./sections/cni.ts";
import { hyperVHosts } from "./sections/hyper-v-hosts.ts";
import { hypervisor, hypervisors } from "./sections/hypervisors.ts";
import { lab } from "./sections/lab.ts";
import { linux } from "./sections/linux.ts";
import { network, type withNames } from "./sections/network.ts";
import { nodes } from "./sections/nodes.ts";
import { windows, type withContainerd } from "./sections/windows.ts";

/** Every setting below the namespace `kindows`, as written: names derived from others may still be missing. */
export const settingsSchema = z.strictObject({
  lab: lab.prefault({}).meta({ description: "The lab itself." }),
  network: network
    .prefault({})
    .meta({ description: "The segment all machines and containers share." }),
  cluster: cluster
    .prefault({})
    .meta({ description: "Control plane and Linux workers, made by kind." }),
  cni: cni.prefault({}).meta({ description: "Network of the pods." }),
  hypervisor: hypervisor.prefault({}).meta({ description: "Where the machines run." }),
  hypervisors: hypervisors.meta({
    description: "Further hypervisors, on other hosts, for machines of this lab (docs/fleet.md).",
  }),
  hyperVHosts: hyperVHosts.meta({
    description: "Windows hosts with Hyper-V, for machines of this lab (docs/hyper-v.md).",
  }),
  windows: windows.prefault({}).meta({ description: "What all Windows machines have in common." }),
  linux: linux.prefault({}).meta({
    description: "What Linux nodes in virtual machines (`nodes[].os: linux`) have in common.",
  }),
  nodes: nodes.meta({ description: "The nodes that have a virtual machine: Windows, or Linux." }),
});

/** The settings as written, defaults filled in. */
export type WrittenSettings = z.output<typeof settingsSchema>;

/** The settings with what follows from the lab's name and the image filled in: what cross-checks look at. */
export interface NamedSettings extends WrittenSettings {
  lab: Required<WrittenSettings["lab"]>;
  network: ReturnType<typeof withNames>;
  windows: ReturnType<typeof withContainerd>;
}

/** A node in a virtual machine with everything filled in. */
export type NodeSettings = Required<WrittenSettings["nodes"][number]>;

/** Everything the program is told, checked; only `cluster.nodeImage`, `windows.kubeProxyImage` and `cni.calico.mtu` may be absent. */
export interface Settings extends NamedSettings {
  /** The Windows nodes. */
  nodes: NodeSettings[];
  /** The Linux nodes that have a virtual machine. */
  linuxNodes: NodeSettings[];
  /** Where each of them runs, and why. */
  placement: Placement[];
}

/** All nodes that have a machine made here, whatever runs on it. */
export function machineNodes({
  nodes,
  linuxNodes,
}: Pick<Settings, "nodes" | "linuxNodes">): NodeSettings[] {
  return [...nodes, ...linuxNodes];
}
