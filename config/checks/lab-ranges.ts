import { overlaps, parseRange } from "../ipv4.ts";
import type { Ipv4Range } from "../ipv4.ts";
import type { NamedSettings } from "../settings.ts";

/** One of the three IPv4 ranges a lab has. */
export interface LabRange {
  readonly path: readonly [keyof NamedSettings, string];
  /** The path in a check's `reads`. */
  readonly reads: string;
  read(settings: NamedSettings): string;
  /** Ranges to propose, best first. */
  readonly candidates: readonly string[];
}

const thirdOctets = [150, 160, 170, 180, 190, 200, 210];

/** The segment of machines and containers. */
export const segmentRange: LabRange = {
  path: ["network", "cidr"],
  reads: "network.cidr",
  read: (settings) => settings.network.cidr,
  candidates: thirdOctets.map((octet) => `192.168.${octet}.0/24`),
};

/** The pods of all nodes. */
export const podRange: LabRange = {
  path: ["cluster", "podCidr"],
  reads: "cluster.podCidr",
  read: (settings) => settings.cluster.podCidr,
  candidates: ["10.244.0.0/16", "10.245.0.0/16", "10.246.0.0/16", "172.30.0.0/16"],
};

/** The services. */
export const serviceRange: LabRange = {
  path: ["cluster", "serviceCidr"],
  reads: "cluster.serviceCidr",
  read: (settings) => settings.cluster.serviceCidr,
  candidates: ["10.96.0.0/16", "10.97.0.0/16", "10.98.0.0/16", "172.31.0.0/16"],
};

/** All of them. */
export const labRanges: readonly LabRange[] = [segmentRange, podRange, serviceRange];

/** A range to write for `range`, apart from the other two and from everything in `taken`. */
export function proposedRange(
  range: LabRange,
  settings: NamedSettings,
  taken: readonly Ipv4Range[] = [],
): string {
  const others = labRanges
    .filter((one) => one !== range)
    .map((one) => parseRange(one.read(settings)));
  const occupied = [...others, ...taken].filter((one) => one !== undefined);
  const free = range.candidates.find((candidate) => {
    const parsed = parseRange(candidate);
    return parsed !== undefined && !occupied.some((one) => overlaps(one, parsed));
  });
  return free ?? range.candidates[0] ?? "";
}
