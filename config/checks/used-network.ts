import { labOfHost } from "../../components/network/lab-hosts.ts";
import {
  blockPrefix,
  type FoundNetwork,
  freeBlock,
} from "../../components/network/found-network.ts";
import { otherHosts } from "../../components/machine/machine-makers.ts";
import { kindContainers, labNames } from "../names.ts";
import { type Check, type SettingsProblem, unless } from "../problem.ts";
import { addressOf } from "../sections/nodes.ts";
import type { NamedSettings } from "../settings.ts";

/** How many addresses the lab needs for its containers: kind's, and its registry. */
export function containerCount({
  cluster: { controlPlanes, workers },
  registry,
}: {
  readonly cluster: Pick<NamedSettings["cluster"], "controlPlanes" | "workers">;
  readonly registry: boolean;
}): number {
  return kindContainers("", controlPlanes).length + workers.length + (registry ? 1 : 0);
}

const read = ["cidr", "bridge", "mtu", "domain"] as const;

type Run = (settings: NamedSettings, found: FoundNetwork) => SettingsProblem[];

/** Settings that are read from the network may be written too, but only as they are. */
const asItIs: Run = ({ network }, found) => [
  ...read.flatMap((key) => {
    const value = found[key];
    const wanted = network[key];
    return unless(value === undefined || value === wanted, {
      path: ["network", key],
      why: `is not that of libvirt's network ${network.libvirtNetwork}, ${value}`,
      instead: "Leave it out: it is read from that network.",
    });
  }),
  ...unless(network.dnsForwarders.length === 0, {
    path: ["network", "dnsForwarders"],
    why: "has no effect: kindows does not change a network that was there before",
    instead: "Leave it out, and set them there (virsh net-edit).",
  }),
];

const oneHost: Run = (settings) =>
  otherHosts(settings)
    .slice(0, 1)
    .map(({ path, host }) => ({
      path,
      value: host.name,
      why: "needs a network of the lab's own, and kindows:network.libvirtNetwork names another",
      instead: "Leave out either.",
    }));

/** Machines that are made would need reservations of their own there. */
const nothingMade: Run = ({ network, nodes }) =>
  nodes.flatMap(({ name, ssh }, index) =>
    unless(ssh !== undefined, {
      path: ["nodes", index],
      value: name,
      why: `would be made by kindows, which makes machines on a network of its own only, not on ${network.libvirtNetwork}`,
      instead:
        "Write `ssh` for a machine that is there, or leave out kindows:network.libvirtNetwork.",
    }),
  );

const roomForContainers: Run = ({ lab, cluster, registry, nodes }, found) => {
  const { prefix } = labNames(lab.name);
  const prefixLength = blockPrefix(containerCount({ cluster, registry }));
  // An earlier run may have reserved them. Whether those are this stack's, only its state tells.
  const isReserved = found.taken.some((one) => labOfHost(one)?.lab === prefix);
  const own = nodes.flatMap((node) => addressOf(node) ?? []);
  return unless(isReserved || freeBlock(found, prefixLength, own) !== undefined, {
    path: ["network", "libvirtNetwork"],
    why: `has no block of ${2 ** (32 - prefixLength)} addresses, all of them free, for kind's containers`,
    instead:
      "Use another network, or free some there (virsh net-dhcp-leases; virsh net-dumpxml shows reservations).",
  });
};

export const usedNetworkChecks: readonly Check<NamedSettings>[] = [
  asItIs,
  oneHost,
  nothingMade,
  roomForContainers,
].map((run) => ({
  reads: ["network.cidr", "network.libvirtNetwork"],
  run: (settings) =>
    settings.network.found === undefined ? [] : run(settings, settings.network.found),
}));
