import * as z from "zod";
import { hypervisor } from "../components/machine/libvirt/settings.ts";
import { machineMakers, type MakerSection } from "../components/machine/registry.ts";
import type { Placement } from "./placement.ts";
import { cluster } from "./sections/cluster.ts";
import { cni } from "./sections/cni.ts";
import { lab } from "./sections/lab.ts";
import { linux } from "./sections/linux.ts";
import { network, type Segment } from "./sections/network.ts";
import { nodes } from "./sections/nodes.ts";
import { windows, type withContainerd } from "./sections/windows.ts";

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
  windows: windows.prefault({}).meta({ description: "Settings of all Windows machines." }),
  linux: linux.prefault({}).meta({
    description: "Settings of all Linux nodes in virtual machines (`nodes[].os: linux`).",
  }),
  nodes: nodes.meta({ description: "The Windows and Linux nodes in virtual machines." }),
});

export type WrittenSettings = z.output<typeof settingsSchema>;

/** The settings that checks get: as written, plus the values derived from the lab's name and the image. */
export interface NamedSettings extends WrittenSettings {
  lab: Required<WrittenSettings["lab"]>;
  network: Segment;
  windows: ReturnType<typeof withContainerd>;
}

export type NodeSettings = Required<WrittenSettings["nodes"][number]>;

/** The checked settings with their defaults. */
export interface Settings extends NamedSettings {
  nodes: NodeSettings[];
  linuxNodes: NodeSettings[];
  placement: Placement[];
}

/** Whether the stack has Windows nodes, and so needs their image and programs. */
export function hasWindowsNodes({ nodes }: Pick<Settings, "nodes">): boolean {
  return nodes.length > 0;
}

export function machineNodes({
  nodes,
  linuxNodes,
}: Pick<Settings, "nodes" | "linuxNodes">): NodeSettings[] {
  return [...nodes, ...linuxNodes];
}
