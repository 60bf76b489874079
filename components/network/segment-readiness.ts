import { readdir, readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { addressText, type Ipv4Range, overlaps, parseRange, rangeText } from "../../config/ipv4.ts";
import { labNames } from "../../config/names.ts";
import type { LabSection } from "../../config/sections/lab.ts";
import type { NetworkSection } from "../../config/sections/network.ts";
import type { DockerFacts } from "../controlplane/docker-readiness.ts";
import { proposedRange, type RangesOfLab, segmentRange } from "../../config/checks/ranges.ts";
import type { HostProblem, Gathered } from "../../config/host-problem.ts";
import { unless } from "../../config/problem.ts";
import type { LibvirtFacts } from "../machine/libvirt/libvirt-facts.ts";

export interface NetworkFacts {
  readonly interfaces: readonly string[];
  /** Ranges in use in CIDR form; without the default route. */
  readonly ranges: readonly {
    readonly cidr: string;
    readonly interface: string;
    /** Whether an address of this host is in it, or only a route leads there. */
    readonly by: "address" | "route";
  }[];
}

export async function gatherNetwork(): Promise<NetworkFacts> {
  const [interfaces, routes] = await Promise.all([
    readdir("/sys/class/net"),
    readFile("/proc/net/route", "utf8"),
  ]);
  return { interfaces, ranges: rangesOf(networkInterfaces(), routes) };
}

/** @param interfaces as Node.js tells of them. @param routes /proc/net/route. */
export function rangesOf(
  interfaces: Readonly<Record<string, Interface | undefined>>,
  routes: string,
): NetworkFacts["ranges"] {
  return [...addressRanges(interfaces), ...routeRanges(routes)];
}

type Interface = readonly { readonly cidr: string | null; readonly internal: boolean }[];

/** The networks in which this host has addresses. */
function addressRanges(
  interfaces: Readonly<Record<string, Interface | undefined>>,
): NetworkFacts["ranges"] {
  return Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses.flatMap(({ cidr, internal }) => {
      const range = parseRange(cidr ?? "");
      return range === undefined || internal
        ? []
        : [{ cidr: rangeText(range), interface: name, by: "address" as const }];
    }),
  );
}

/** Ranges of /proc/net/route: hexadecimal, in the machine's (little-endian) byte order. */
function routeRanges(table: string): NetworkFacts["ranges"] {
  const number = (hex: string): number => Buffer.from(hex, "hex").readUInt32LE();
  const [, ...lines] = table.trim().split("\n");
  return lines.flatMap((line) => {
    const [name = "", destination = "", , , , , , mask = ""] = line.split(/\s+/);
    const prefixLength = number(mask).toString(2).replaceAll("0", "").length;
    return prefixLength === 0
      ? []
      : [
          {
            cidr: `${addressText(number(destination))}/${prefixLength}`,
            interface: name,
            by: "route" as const,
          },
        ];
  });
}

interface Neighbours {
  readonly docker: Gathered<DockerFacts>;
  readonly libvirt: Gathered<LibvirtFacts>;
  readonly network: NetworkFacts;
}

/** Networks of libvirt and Docker, and whether each is the lab's own, from an earlier run, and so no obstacle. */
function networksOf(
  { lab, network }: LabSection & NetworkSection,
  { docker, libvirt }: Neighbours,
) {
  const names = labNames(lab.name);
  const of = (
    whose: string,
    own: string,
    all: readonly { name: string; cidrs: readonly string[]; bridge?: string }[],
  ) =>
    all.map((one) => ({
      ...one,
      owner: `${whose}'s network ${one.name}`,
      isOwn: one.name === own,
    }));
  const ofLibvirt = network.libvirtNetwork ?? names.network;
  return [
    ...of("libvirt", ofLibvirt, libvirt.reachable ? libvirt.networks : []),
    ...of("Docker", names.dockerNetwork, docker.reachable ? docker.networks : []),
  ];
}

/** The setting that chooses the segment, and what to write there if it is taken. */
function chosenBy(
  { network: { libvirtNetwork } }: NetworkSection,
  setting: "cidr" | "bridge",
  value: string,
): { readonly subject: string; readonly used?: string } {
  return libvirtNetwork === undefined
    ? { subject: `kindows:network.${setting}: "${value}"` }
    : {
        subject: `kindows:network.libvirtNetwork: "${libvirtNetwork}"`,
        used: "Remove the other network, or use another one here: Docker can have one on each.",
      };
}

/** A range in use, and whether the lab's segment may be a part of it. */
interface Occupied {
  readonly range: Ipv4Range;
  readonly owner: string;
  readonly isRoute: boolean;
}

/**
 * Whether a segment cannot be beside it. A route to more than the segment, as VPNs have them for everything, does not
 * matter: the segment's own route is the more specific one, and counts.
 */
function isInTheWay({ range, isRoute }: Occupied, segment: Ipv4Range): boolean {
  return overlaps(range, segment) && (!isRoute || range.prefixLength >= segment.prefixLength);
}

/** Checks that no network, address or route of this host conflicts with the lab's segment, apart from the lab's own. */
export function checkSegment(
  settings: LabSection & NetworkSection & RangesOfLab,
  facts: Neighbours,
): HostProblem[] {
  const { cidr: wanted } = settings.network;
  const segment = parseRange(wanted);
  const networks = networksOf(settings, facts);
  // The ranges of a network's bridge are those of the network, which is reported already.
  const bridges = networks.map(({ bridge }) => bridge);
  const occupied = [
    ...networks
      .filter(({ isOwn }) => !isOwn)
      .flatMap(({ cidrs, owner }) =>
        cidrs.map((cidr) => ({ cidr, owner: `${owner} (${cidr})`, isRoute: false })),
      ),
    ...facts.network.ranges
      .filter((one) => !bridges.includes(one.interface))
      .map(({ cidr, interface: name, by }) => ({
        cidr,
        owner: `${cidr} at this host's interface ${name}`,
        isRoute: by === "route",
      })),
  ].flatMap(({ cidr, ...rest }): Occupied[] => {
    const range = parseRange(cidr);
    return range === undefined ? [] : [{ range, ...rest }];
  });
  const found = occupied.filter((one) => segment !== undefined && isInTheWay(one, segment));
  const owners = [...new Set(found.map(({ owner }) => owner))];
  if (found.length === 0) return [];
  // Best one that leads nowhere else; where a VPN leads everywhere, one that is not in the way of anything.
  const free =
    proposedRange(segmentRange, settings, (candidate) =>
      occupied.some(({ range }) => overlaps(range, candidate)),
    ) ??
    proposedRange(segmentRange, settings, (candidate) =>
      occupied.some((one) => isInTheWay(one, candidate)),
    );
  const { subject, used } = chosenBy(settings, "cidr", wanted);
  return [
    {
      subject,
      why: `overlaps ${owners.join(" and ")}`,
      instead:
        used ??
        (free === undefined
          ? "No other private range of its size is free here: remove a network that is not needed."
          : `Write a range that is free here, e.g. ${free}.`),
    },
  ];
}

/** Checks that no interface or network outside the lab uses the name of the lab's bridge. */
export function checkBridge(
  settings: LabSection & NetworkSection,
  facts: Neighbours,
): HostProblem[] {
  const { bridge } = settings.network;
  const networks = networksOf(settings, facts).filter((one) => one.bridge === bridge);
  const foreign = networks.find(({ isOwn }) => !isOwn);
  const isFree =
    networks.length === 0 ? !facts.network.interfaces.includes(bridge) : foreign === undefined;
  const { subject, used } = chosenBy(settings, "bridge", bridge);
  return unless(isFree, {
    subject,
    why: `${used === undefined ? "is" : "has a bridge that is"} taken by ${foreign?.owner ?? "a network interface of this host"}`,
    instead:
      used ??
      "Write another name, or remove it (`./kindows doctor` shows whether it is left over from a lab).",
  });
}
