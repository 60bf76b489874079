import { readFile } from "node:fs/promises";
import {
  addressNumber,
  addressText,
  contains,
  type Ipv4Range,
  parseRange,
  rangeText,
} from "../../config/ipv4.ts";
import type { Complaint } from "../../config/problem.ts";
import { messageOf } from "../../host/failure.ts";
import { below, readXml, type XmlElement } from "../../host/read-xml.ts";
import { networkNames, virsh } from "../../host/virsh.ts";
import { dhcpHosts } from "../machine/libvirt/dhcp-hosts.ts";
import { networkRange } from "../machine/libvirt/libvirt-facts.ts";
import { segmentMtu } from "./packet-size.ts";

/** An address of a network that somebody has. */
export interface TakenAddress {
  readonly address: string;
  /** In lower case. */
  readonly mac: string;
  readonly by: "a reservation" | "a DHCP lease" | "a neighbour of this host";
  /** Name of the reservation; empty if it has none. */
  readonly name: string;
}

/** A libvirt network that was there before the lab, as libvirt describes it. */
export interface FoundNetwork {
  readonly uuid: string;
  /** Name of its Linux bridge. */
  readonly bridge: string;
  /** Its IPv4 range in CIDR form. */
  readonly cidr: string;
  /** The bridge's address, which is the machines' gateway. */
  readonly gateway: string;
  /** Largest packet, in bytes. */
  readonly mtu: number;
  /** DNS domain that its DNS server answers for; undefined if it has none. */
  readonly domain?: string;
  /** Zone of firewalld that libvirt puts the bridge into, if the network names one. */
  readonly zone?: string;
  /** Addresses that somebody has at the moment. */
  readonly taken: readonly TakenAddress[];
}

/** libvirt's own network `default`, as it comes: for a preview that may ask nobody. */
export const usualNetwork: FoundNetwork = {
  uuid: "",
  bridge: "virbr0",
  cidr: "192.168.122.0/24",
  gateway: "192.168.122.1",
  mtu: segmentMtu,
  taken: [],
};

const another = "Use a network with NAT and DHCP, such as libvirt's own `default`, or leave it out";

/** Modes in which libvirt makes the bridge, and packets leave the network. */
const leading = ["nat", "route", "open"];

/** What `virsh net-dumpxml` says of a network that a lab can use, or why it can use none like that. */
export function describedNetwork(xml: string): Omit<FoundNetwork, "taken"> | Complaint {
  const [network] = below(readXml(xml), "network");
  const at = (...path: readonly string[]): readonly XmlElement[] =>
    network === undefined ? [] : below(network, ...path);
  const { name: bridge, zone } = at("bridge")[0]?.attributes ?? {};
  const mode =
    at("forward")[0] === undefined ? "" : (at("forward")[0]?.attributes["mode"] ?? "nat");
  if (mode === "") {
    return {
      why: "is isolated: nothing leads out of it, so nodes can pull no images",
      instead: `${another}.`,
    };
  }
  if (!leading.includes(mode) || bridge === undefined) {
    return {
      why: `has the forward mode ${mode}, in which libvirt makes no bridge with NAT`,
      instead: `${another}.`,
    };
  }
  const ranges = at("ip").filter((ip) => networkRange(ip) !== undefined);
  if (ranges.length === 0) {
    const why = at("ip").length === 0 ? "has no range of addresses" : "has IPv6 addresses only";
    return { why, instead: `${another}.` };
  }
  const serving = ranges.find((ip) => below(ip, "dhcp").length > 0);
  if (serving === undefined) {
    const why = "has no DHCP server, in which the addresses of kind's containers are reserved";
    return { why, instead: `${another}.` };
  }
  const mtu = Number(at("mtu")[0]?.attributes["size"]) || segmentMtu;
  const domain = at("domain")[0]?.attributes["name"];
  return {
    uuid: at("uuid")[0]?.text ?? "",
    bridge,
    cidr: networkRange(serving) ?? "",
    gateway: serving.attributes["address"] ?? "",
    mtu,
    ...(domain !== undefined && { domain }),
    ...(zone !== undefined && { zone }),
  };
}

/** IPv4 leases in the output of `virsh net-dhcp-leases`. Its other columns are dates, and names that may be missing. */
export function leasesIn(output: string): TakenAddress[] {
  return [...output.matchAll(/([0-9a-f]{2}(?::[0-9a-f]{2}){5})\s+ipv4\s+([\d.]+)\//gi)].map(
    ([, mac = "", address = ""]) => ({
      address,
      mac: mac.toLowerCase(),
      by: "a DHCP lease",
      name: "",
    }),
  );
}

/** Neighbours on a bridge that have answered, in the table /proc/net/arp. */
export function neighboursIn(table: string, bridge: string): TakenAddress[] {
  const [, ...rows] = table.trim().split("\n");
  return rows.flatMap((row): TakenAddress[] => {
    const [address = "", , flags = "", mac = "", , device] = row.split(/\s+/);
    const isComplete = (Number(flags) & 2) !== 0;
    return device === bridge && isComplete
      ? [{ address, mac: mac.toLowerCase(), by: "a neighbour of this host", name: "" }]
      : [];
  });
}

/**
 * Reads a libvirt network of this host. Changes nothing.
 *
 * @returns why a lab can't use it, if it can't.
 */
export async function findNetwork(uri: string, name: string): Promise<FoundNetwork | Complaint> {
  try {
    const [all, active] = await Promise.all([
      networkNames(uri, "all"),
      networkNames(uri, "active"),
    ]);
    if (!all.includes(name)) {
      const there = all.length === 0 ? "it has none" : all.join(", ");
      return {
        why: `is no network of this host's libvirt (${there})`,
        instead: "Write the name of one, or leave it out, and kindows makes a network.",
      };
    }
    if (!active.includes(name)) {
      return {
        why: "is not active",
        instead: `Start it: virsh -c ${uri} net-start ${name}. If Docker has made its bridge when this host started, remove that first (docs/own-machine.md#after-a-reboot-of-this-host).`,
      };
    }
    const [xml, leases, neighbours] = await Promise.all([
      virsh(uri, "net-dumpxml", name),
      virsh(uri, "net-dhcp-leases", name),
      readFile("/proc/net/arp", "utf8").catch(() => ""),
    ]);
    const described = describedNetwork(xml);
    if (isComplaint(described)) return described;
    const reserved = dhcpHosts(xml).map(({ ip, mac, name }): TakenAddress => ({
      address: ip,
      mac,
      by: "a reservation",
      name,
    }));
    const taken = [...reserved, ...leasesIn(leases), ...neighboursIn(neighbours, described.bridge)];
    return { ...described, taken };
  } catch (error) {
    return {
      why: `can't be read: ${messageOf(error)}`,
      instead: "Have libvirt run, or leave it out, and kindows makes a network.",
    };
  }
}

export function isComplaint(found: object): found is Complaint {
  return "why" in found;
}

/** The least containers that get addresses, so that workers can be added without a new network: 2^4. */
const usualBits = 4;

/** Length of the prefix of the block that kind's containers need. */
export function blockPrefix(containers: number): number {
  return 32 - Math.max(usualBits, Math.ceil(Math.log2(containers)));
}

/** All addresses of a block, lowest first. */
export function addressesOf({ first, last }: Ipv4Range): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => addressText(first + index));
}

/**
 * A block for kind's containers in which nobody has an address, the highest first because people count from the lowest.
 * Undefined if there is none.
 *
 * @param avoid further addresses that must not be in it, e.g. of machines that are off.
 */
export function freeBlock(
  { cidr, gateway, taken }: Pick<FoundNetwork, "cidr" | "gateway" | "taken">,
  prefixLength: number,
  avoid: readonly string[] = [],
): string | undefined {
  const segment = parseRange(cidr);
  if (segment === undefined) return undefined;
  const others = [gateway, ...taken.map(({ address }) => address), ...avoid];
  const numbers = [
    ...others.flatMap((each) => addressNumber(each) ?? []),
    segment.first,
    segment.last,
  ];
  const size = 2 ** (32 - prefixLength);
  for (let first = segment.last + 1 - size; first >= segment.first; first -= size) {
    const block = { first, last: first + size - 1, prefixLength };
    if (!numbers.some((number) => contains(block, number))) return rangeText(block);
  }
  return undefined;
}
