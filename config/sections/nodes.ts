import * as z from "zod";
import { pathText, type Check, unless } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";
import { computerName, unnamed } from "../values/dns-name.ts";
import { ipv4, nodeIp } from "../values/ip-address.ts";
import { text } from "../values/value.ts";
import { registration } from "./node-registration.ts";
import { machineSize } from "./windows.ts";

const node = z.strictObject({
  name: text(computerName).meta({
    description: "Node and computer name: a DNS label of at most 15 characters.",
    placeholder: unnamed,
  }),
  os: z.enum(["windows", "linux"]).default("windows").meta({
    description:
      "System of its machine. A Linux one is a virtual machine on libvirt, with Debian or what `linux.image` names; workers in containers are `cluster.workers`.",
  }),
  address: text(
    ipv4("Write four numbers up to 255, e.g. 192.168.150.10, or leave it out to be given one."),
  )
    .optional()
    .meta({
      description:
        "IPv4 address, from `.2` to `.99` of the segment. Set it for nodes that must keep theirs when an earlier node is removed.",
      default: "the first free one from `.10` upward",
    }),
  cpus: machineSize.cpus.optional().meta({ default: "`windows.cpus`, `linux.cpus`" }),
  memoryMiB: machineSize.memoryMiB
    .optional()
    .meta({ default: "`windows.memoryMiB`, `linux.memoryMiB`" }),
  diskGiB: machineSize.diskGiB.optional().meta({ default: "`windows.diskGiB`, `linux.diskGiB`" }),
  hypervisor: z.string().optional().meta({
    description:
      "Name of the hypervisor its machine runs on: `local`, or one of `kindows:hypervisors` and `kindows:hyperVHosts`. Changing it replaces the machine.",
    default: "`local`; where there are several, the one with most of `machineMemoryMiB` left",
  }),
  ...registration,
  nodeIp: text(nodeIp).optional().meta({
    description:
      "IPv4 address that the node registers with, if the machine has several. If the machine lacks it, the join fails and names those it has.",
    default: "`address`",
  }),
});

export const nodes = z.array(node).default([]);

/** No two nodes register with the same address, and none with another machine's. */
export const nodeIps: Check<NamedSettings> = {
  run: ({ nodes }) =>
    nodes.flatMap(({ nodeIp }, index) => {
      const other = nodes.findIndex(
        (node, place) =>
          place !== index && (node.address === nodeIp || (node.nodeIp === nodeIp && place < index)),
      );
      return unless(nodeIp === undefined || other < 0, {
        path: ["nodes", index, "nodeIp"],
        why: `is the address of ${pathText(["nodes", other])} (${nodes[other]?.name ?? ""}) too`,
        instead: "Write another one, or leave it out for the machine's own address.",
      });
    }),
};
