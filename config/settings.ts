import * as z from "zod";
import { cni } from "./cni-settings.ts";
import { hyperVHosts } from "./hyper-v-settings.ts";
import { hypervisor, hypervisors } from "./hypervisor-settings.ts";
import type { Placement } from "./node-placement.ts";
import { registration } from "./registration-settings.ts";
import { address } from "./values/address.ts";
import { bridgeName } from "./values/bridge-name.ts";
import { cidr } from "./values/cidr.ts";
import { computerName, dnsDomain, dnsLabel, labName } from "./values/dns-name.ts";
import { nodeIp } from "./values/node-ip.ts";
import { nodeImage } from "./values/node-image.ts";
import { kubernetesVersion } from "./values/version.ts";
import { between, text } from "./values/value.ts";
import { linux } from "./linux-settings.ts";
import { machineSize, windows } from "./windows-settings.ts";

const maxTokenMinutes = 120;

const lab = z.strictObject({
  name: text(labName).optional().meta({
    description: "Name of the lab; everything it makes is called `kindows-<name>`.",
    default: "the stack's name",
  }),
});

/** The ranges where the settings name none. */
const ranges = {
  segment: "192.168.150.0/24",
  pods: "10.244.0.0/16",
  services: "10.96.0.0/16",
} as const;

const network = z.strictObject({
  cidr: text(cidr(ranges.segment)).default(ranges.segment).meta({
    description:
      "IPv4 range of the lab's segment, /24 or larger: `.1` is the gateway, `.2` to `.99` are for machines, the upper half is for kind's containers. Free on this host, and apart from `podCidr` and `serviceCidr`.",
  }),
  bridge: text(bridgeName).optional().meta({
    description: "Linux bridge of the segment, at most 15 characters; made by libvirt.",
    default: "`kw-<lab.name>`",
  }),
  domain: text(dnsDomain).optional().meta({
    description: "DNS domain the segment's own DNS server answers for.",
    default: "`<lab.name>.kindows.test`",
  }),
});

const worker = z.strictObject({
  name: text(dnsLabel(30)).meta({
    description: "Last part of the node's name, `kindows-<lab>-<name>`.",
  }),
});

const cluster = z.strictObject({
  kubernetesVersion: text(kubernetesVersion).default("1.36.4").meta({
    description: "Kubernetes version of the control plane and all nodes, without a leading `v`.",
  }),
  controlPlanes: z.literal([1, 3]).default(1).meta({
    description: "Number of control planes: 1, or 3 behind a load balancer.",
  }),
  workers: z
    .array(worker)
    .default([])
    .meta({ description: "Linux workers, as containers on this host." }),
  podCidr: text(cidr(ranges.pods))
    .default(ranges.pods)
    .meta({ description: "IPv4 range of pods; every node gets a part of it." }),
  serviceCidr: text(cidr(ranges.services))
    .default(ranges.services)
    .meta({ description: "IPv4 range of services." }),
  nodeImage: text(nodeImage).optional().meta({
    description: "kind node image of the control planes and Linux workers, pinned by digest.",
    default:
      "kind's own for `kubernetesVersion`, or the one built here where no registry is reachable",
  }),
  tokenTtlMinutes: between(1, maxTokenMinutes).default(60).meta({
    description: "How long a join token lives; it has to outlast a node's first boot.",
    unit: "minutes",
  }),
});

const node = z.strictObject({
  name: text(computerName).meta({
    description: "Node and computer name: a DNS label of at most 15 characters.",
  }),
  os: z.enum(["windows", "linux"]).default("windows").meta({
    description:
      "System of its machine. A Linux one is a virtual machine on libvirt, with Debian or what `linux.image` names; workers in containers are `cluster.workers`.",
  }),
  address: text(address).optional().meta({
    description:
      "IPv4 address, from `.2` to `.99` of the segment. Give one to nodes that must keep theirs when an earlier one goes.",
    default: "the first free one from `.10` upward",
  }),
  cpus: machineSize.cpus.optional().meta({ default: "`windows.cpus`, `linux.cpus`" }),
  memoryMiB: machineSize.memoryMiB
    .optional()
    .meta({ default: "`windows.memoryMiB`, `linux.memoryMiB`" }),
  diskGiB: machineSize.diskGiB.optional().meta({ default: "`windows.diskGiB`, `linux.diskGiB`" }),
  hypervisor: z.string().optional().meta({
    description:
      "Name of the hypervisor its machine runs on: `local`, or one of `kindows:hypervisors` and `kindows:hyperVHosts`. Another one makes the machine anew.",
    default: "`local`; where there are several, the one with most of `machineMemoryMiB` left",
  }),
  ...registration,
  nodeIp: text(nodeIp).optional().meta({
    description:
      "IPv4 address the node registers with, where the machine has several; the join fails unless it is on the machine, and names those that are.",
    default: "`address`",
  }),
});

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
  nodes: z
    .array(node)
    .default([])
    .meta({ description: "The nodes that have a virtual machine: Windows, or Linux." }),
});

/** The settings as written, defaults filled in. */
export type WrittenSettings = z.output<typeof settingsSchema>;

/** The settings with what follows from the lab's name and the image filled in: what cross-checks look at. */
export interface NamedSettings extends WrittenSettings {
  lab: Required<WrittenSettings["lab"]>;
  network: Required<WrittenSettings["network"]>;
  windows: Required<Omit<WrittenWindows, "kubeProxyImage">> &
    Pick<WrittenWindows, "kubeProxyImage">;
}

type WrittenWindows = WrittenSettings["windows"];

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
