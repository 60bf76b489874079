import * as z from "zod";
import { pathText, type Check, unless } from "../problem.ts";
import { computerName, unnamed } from "../values/dns-name.ts";
import { ipv4, nodeIp } from "../values/ip-address.ts";
import { text } from "../values/value.ts";
import { sshServer } from "../../components/machine/existing/settings.ts";
import { registration } from "./node-registration.ts";
import { machineSize } from "../values/machine-size.ts";

const node = z.strictObject({
  name: text(computerName).meta({
    description: "Name of the node and its computer: a DNS label of at most 15 characters.",
    placeholder: unnamed,
  }),
  os: z.enum(["windows", "linux"]).default("windows").meta({
    description:
      "Operating system of the machine. A Linux machine runs on libvirt, with Debian or the system in `linux.image`. For Linux workers in containers, see `cluster.workers`.",
  }),
  address: text(
    ipv4(
      "Write four numbers up to 255, e.g. 192.168.150.10, or leave it out and kindows assigns one.",
    ),
  )
    .optional()
    .meta({
      description:
        "IPv4 address, from `.2` to `.99` of the segment. Set it for a node that must keep its address when an earlier node is removed.",
      default: "the first free one from `.10` upward",
    }),
  ssh: z.strictObject(sshServer).optional().meta({
    description:
      "How to reach a machine that is there already. It is joined instead of being made, and reset when it leaves the lab (docs/own-machine.md). It must be on the lab's segment.",
    default: "none; the machine is made",
  }),
  cpus: machineSize.cpus.optional().meta({ default: "`windows.cpus`, `linux.cpus`" }),
  memoryMiB: machineSize.memoryMiB
    .optional()
    .meta({ default: "`windows.memoryMiB`, `linux.memoryMiB`" }),
  diskGiB: machineSize.diskGiB.optional().meta({ default: "`windows.diskGiB`, `linux.diskGiB`" }),
  hypervisor: z.string().optional().meta({
    description:
      "Name of the hypervisor that runs the machine: `local`, or one of `kindows:hypervisors` and `kindows:hyperVHosts`. Changing it replaces the machine.",
    default: "`local`; with several hypervisors, the one with most of its `machineMemoryMiB` left",
  }),
  ...registration,
  nodeIp: text(nodeIp).optional().meta({
    description:
      "IPv4 address that the node registers with, if the machine has several. If the machine does not have this address, the join fails and lists those it has.",
    default: "`address`",
  }),
});

export const nodes = z.array(node).default([]);

/** A node whose machine is made, with its defaults. */
export type NodeSettings = Required<Omit<z.output<typeof node>, "ssh">>;

/** The nodes whose machines are made. */
export interface MadeNodes {
  /** On Windows. */
  readonly nodes: readonly NodeSettings[];
  readonly linuxNodes: readonly NodeSettings[];
}

export function machineNodes({ nodes, linuxNodes }: MadeNodes): NodeSettings[] {
  return [...nodes, ...linuxNodes];
}

export interface NodesSection {
  readonly nodes: z.output<typeof nodes>;
}

/** The address of a node's machine, if it is written. */
export function addressOf({
  address,
  ssh,
}: Pick<z.output<typeof node>, "address" | "ssh">): string | undefined {
  return ssh?.address ?? address;
}

/** No two nodes may register with the same address, and no node with the address of another machine. */
export const nodeIps: Check<NodesSection> = {
  run: ({ nodes }) =>
    nodes.flatMap(({ nodeIp }, index) => {
      const other = nodes.findIndex(
        (node, at) =>
          at !== index && (addressOf(node) === nodeIp || (node.nodeIp === nodeIp && at < index)),
      );
      return unless(nodeIp === undefined || other < 0, {
        path: ["nodes", index, "nodeIp"],
        why: `is also the address of ${pathText(["nodes", other])} (${nodes[other]?.name ?? ""})`,
        instead: "Write another one, or leave it out for the machine's own address.",
      });
    }),
};
