import { readdir, readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { addressText, type Ipv4Range, overlaps, parseRange, rangeText } from "../config/ipv4.ts";
import { labNames } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import { proposedRange, segmentRange } from "../config/checks/ranges.ts";
import type { HostProblem } from "../config/host-problem.ts";
import { unless } from "../config/problem.ts";

/** IPv4 of this host. */
export interface NetworkFacts {
  /** Names of all network interfaces, up or down. */
  readonly interfaces: readonly string[];
  /** Ranges in use, by address or route, in CIDR form; without the default route. */
  readonly ranges: readonly { readonly cidr: string; readonly interface: string }[];
}

/** Reads the kernel's own tables. */
export async function gatherNetwork(): Promise<NetworkFacts> {
  const [interfaces, routes] = await Promise.all([
    readdir("/sys/class/net"),
    readFile("/proc/net/route", "utf8"),
  ]);
  return { interfaces, ranges: [...addressRanges(), ...routeRanges(routes)] };
}

function addressRanges(): NetworkFacts["ranges"] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.flatMap(({ cidr, internal }) => {
      const range = parseRange(cidr ?? "");
      return range === undefined || internal ? [] : [{ cidr: rangeText(range), interface: name }];
    }),
  );
}

/** Ranges of /proc/net/route: hexadecimal, in the machine's (little-endian) byte order. */
export function routeRanges(table: string): NetworkFacts["ranges"] {
  return table
    .trim()
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [name = "", destination = "", , , , , , mask = ""] = line.split(/\s+/);
      const prefixLength = number(mask).toString(2).replaceAll("0", "").length;
      return prefixLength === 0
        ? []
        : [{ cidr: `${addressText(number(destination))}/${prefixLength}`, interface: name }];
    });
}

function number(littleEndianHex: string): number {
  return Buffer.from(littleEndianHex, "hex").readUInt32LE();
}

/** What of this host is the lab's own already, from an earlier run: never in its way. */
interface Owned {
  /** Names of the libvirt network and the Docker network. */
  readonly network: string;
  readonly bridges: ReadonlySet<string | undefined>;
}

function networksOf({ docker, libvirt }: HostFacts) {
  return {
    libvirt: libvirt.reachable ? libvirt.networks : [],
    docker: docker.reachable ? docker.networks : [],
  };
}

function owned(settings: Settings, facts: HostFacts): Owned {
  const { network, dockerNetwork } = labNames(settings.lab.name);
  const { docker, libvirt } = networksOf(facts);
  const own = [
    ...libvirt.filter(({ name }) => name === network),
    ...docker.filter(({ name }) => name === dockerNetwork),
  ];
  return { network, bridges: new Set(own.map(({ bridge }) => bridge)) };
}

interface Occupied {
  readonly range: Ipv4Range;
  readonly owner: string;
}

/** The lab's segment is free: no network, address or route of this host reaches into it, but the lab's own. */
export function checkSegment(settings: Settings, facts: HostFacts): HostProblem[] {
  const { cidr } = settings.network;
  const segment = parseRange(cidr);
  const occupied = occupiedBy(settings, facts);
  const found =
    segment === undefined ? [] : occupied.filter(({ range }) => overlaps(range, segment));
  if (found.length === 0) return [];
  const owners = [...new Set(found.map(({ owner }) => owner))];
  const free = proposedRange(
    segmentRange,
    settings,
    occupied.map(({ range }) => range),
  );
  return [
    {
      subject: `kindows:network.cidr: "${cidr}"`,
      why: `overlaps ${owners.join(" and ")}`,
      instead: `Write a range that is free here, e.g. ${free}.`,
    },
  ];
}

/** Everything on this host that has IPv4 ranges and is not the lab's; a bridge is told by its network, not twice. */
function occupiedBy(settings: Settings, facts: HostFacts): Occupied[] {
  const { network, bridges } = owned(settings, facts);
  const all = networksOf(facts);
  const libvirt = all.libvirt.filter(({ name }) => name !== network);
  const docker = all.docker.filter(({ name }) => name !== network);
  const told = new Set([...bridges, ...[...libvirt, ...docker].map(({ bridge }) => bridge)]);
  return [
    ...libvirt.flatMap(({ name, cidrs }) =>
      cidrs.map((cidr) => ({ cidr, owner: `libvirt's network ${name} (${cidr})` })),
    ),
    ...docker.flatMap(({ name, cidrs }) =>
      cidrs.map((cidr) => ({ cidr, owner: `Docker's network ${name} (${cidr})` })),
    ),
    ...facts.network.ranges
      .filter((one) => !told.has(one.interface))
      .map(({ cidr, interface: name }) => ({
        ...{ cidr, owner: `${cidr} at this host's interface ${name}` },
      })),
  ].flatMap(({ cidr, owner }) => {
    const range = parseRange(cidr);
    return range === undefined ? [] : [{ range, owner }];
  });
}

/** Nobody else has an interface, or a network with a bridge, of the lab's bridge's name. */
export function checkBridge(settings: Settings, facts: HostFacts): HostProblem[] {
  const { bridge } = settings.network;
  const owner = owned(settings, facts).bridges.has(bridge) ? undefined : ownerOf(bridge, facts);
  return unless(owner === undefined, {
    subject: `kindows:network.bridge: "${bridge}"`,
    why: `is taken by ${owner}`,
    instead:
      "Write another name, or remove that (`./kindows doctor` tells whether it is left over from a lab).",
  });
}

function ownerOf(bridge: string, facts: HostFacts): string | undefined {
  const { docker, libvirt } = networksOf(facts);
  const ofLibvirt = libvirt.find((one) => one.bridge === bridge);
  if (ofLibvirt !== undefined) return `libvirt's network ${ofLibvirt.name}`;
  const ofDocker = docker.find((one) => one.bridge === bridge);
  if (ofDocker !== undefined) return `Docker's network ${ofDocker.name}`;
  return facts.network.interfaces.includes(bridge) ? "a network interface of this host" : undefined;
}
