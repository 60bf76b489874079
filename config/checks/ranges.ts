import { type Ipv4Range, overlaps, parseRange, rangeText } from "../ipv4.ts";
import { type Check, pathText, unless } from "../problem.ts";
import { maxSegmentPrefixLength } from "../address-plan.ts";

/** The settings with a lab's ranges, and those that a range must fit. */
export interface RangesOfLab {
  readonly network: { readonly cidr: string; readonly found?: unknown };
  readonly cluster: {
    readonly podCidr: string;
    readonly serviceCidr: string;
    readonly controlPlanes: number;
    readonly workers: readonly unknown[];
  };
  readonly cni: { readonly kind: string };
  readonly hypervisors: readonly { readonly cidr?: string | undefined }[];
  readonly nodes: readonly unknown[];
}

interface LabRange {
  readonly path: readonly [keyof RangesOfLab, string];
  read(settings: RangesOfLab): string;
  /** What is proposed first. */
  readonly candidates: readonly string[];
  /** Size of what is proposed when none of these is free. */
  readonly prefixLength: number;
}

export const segmentRange: LabRange = {
  path: ["network", "cidr"],
  read: (settings) => settings.network.cidr,
  candidates: [150, 160, 170, 180, 190, 200, 210].map((octet) => `192.168.${octet}.0/24`),
  prefixLength: 24,
};

const podRange: LabRange = {
  path: ["cluster", "podCidr"],
  read: (settings) => settings.cluster.podCidr,
  candidates: ["10.244.0.0/16", "10.245.0.0/16", "10.246.0.0/16", "172.30.0.0/16"],
  prefixLength: 16,
};

const serviceRange: LabRange = {
  path: ["cluster", "serviceCidr"],
  read: (settings) => settings.cluster.serviceCidr,
  candidates: ["10.96.0.0/16", "10.97.0.0/16", "10.98.0.0/16", "172.31.0.0/16"],
  prefixLength: 16,
};

export const labRanges: readonly LabRange[] = [segmentRange, podRange, serviceRange];

/**
 * Proposes a value for `range` that all checks accept: it overlaps nothing of the lab's and nothing that is taken.
 * Undefined if all private address space is taken.
 */
export function proposedRange(
  range: LabRange,
  settings: RangesOfLab,
  isTaken: (candidate: Ipv4Range) => boolean = () => false,
): string | undefined {
  const others = [
    ...labRanges.filter((one) => one !== range).map((one) => one.read(settings)),
    ...settings.hypervisors.flatMap(({ cidr }) => cidr ?? []),
  ].flatMap((cidr) => parseRange(cidr) ?? []);
  for (const candidate of candidatesOf(range)) {
    const isFree =
      !others.some((one) => overlaps(one, candidate)) &&
      rangeFault(candidate, settings) === undefined &&
      !isTaken(candidate);
    if (isFree) return rangeText(candidate);
  }
  return undefined;
}

/** The end of a sentence that asks for another range. */
function example(range: LabRange, settings: RangesOfLab): string {
  const proposed = proposedRange(range, settings);
  return proposed === undefined ? "" : `, e.g. ${proposed}`;
}

function* candidatesOf({ candidates, prefixLength }: LabRange): Generator<Ipv4Range> {
  const size = 2 ** (32 - prefixLength);
  for (const cidr of candidates) yield* parsed(cidr);
  // The smallest first, because others' networks are mostly in the largest.
  for (const cidr of privateSpace.toSorted((a, b) => prefixOf(b) - prefixOf(a))) {
    for (const { first, last } of parsed(cidr)) {
      for (let at = first; at < last; at += size) {
        yield { first: at, last: at + size - 1, prefixLength };
      }
    }
  }
}

function parsed(cidr: string): Ipv4Range[] {
  const range = parseRange(cidr);
  return range === undefined ? [] : [range];
}

const prefixOf = (cidr: string): number => parsed(cidr)[0]?.prefixLength ?? 0;

function overlapsText(range: Ipv4Range, cidr: string): boolean {
  const other = parseRange(cidr);
  return other !== undefined && overlaps(range, other);
}

interface Reserved {
  readonly cidr: string;
  readonly why: string;
  applies?(settings: RangesOfLab): boolean;
}

const reserved: readonly Reserved[] = [
  {
    cidr: "127.0.0.0/8",
    why: "overlaps the loopback range 127.0.0.0/8, which never leaves a machine",
  },
  {
    cidr: "169.254.0.0/16",
    why: "overlaps the link-local range 169.254.0.0/16, which is never routed",
  },
  {
    cidr: "172.17.0.0/16",
    why: "overlaps 172.17.0.0/16, the range of Docker's own bridge docker0",
  },
  {
    cidr: "192.168.255.0/30",
    why: "overlaps 192.168.255.0/30, which Calico gives its HNS network External on every Windows node",
    applies: (settings) => settings.cni.kind === "calico",
  },
];

/** Private address space: RFC 1918 and RFC 6598. */
const privateSpace = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"];

export const rangesUsable: readonly Check<RangesOfLab>[] = labRanges.map((range) => ({
  reads: [range.path.join(".")],
  run(settings) {
    const parsed = parseRange(range.read(settings));
    const why = parsed && rangeFault(parsed, settings);
    const instead = `Write another range${example(range, settings)}.`;
    return why === undefined ? [] : [{ path: range.path, why, instead }];
  },
}));

export function rangeFault(range: Ipv4Range, settings: RangesOfLab): string | undefined {
  const taken = reserved.find((one) => {
    return overlapsText(range, one.cidr) && (one.applies?.(settings) ?? true);
  });
  const isPrivate = privateSpace.some((cidr) => {
    const space = parseRange(cidr);
    return space !== undefined && space.first <= range.first && range.last <= space.last;
  });
  if (taken !== undefined) return taken.why;
  return isPrivate ? undefined : `is not private address space (${privateSpace.join(", ")})`;
}

/** Size of each node's part of the pod range, by kube-controller-manager's default. */
const podPrefixPerNode = 24;

/** kube-controller-manager refuses a pod range whose prefix is more than 16 bits shorter than a node's. */
const largestPodRange = podPrefixPerNode - 16;

/** kubeadm requires at least ten addresses for services, and kube-apiserver allows at most 20 bits of them. */
const [smallestServiceRange, largestServiceRange] = [28, 12];

export const rangeSizes: readonly Check<RangesOfLab>[] = [
  check(segmentRange, (prefix, { network }) =>
    // In a network that was there before, containers get a block, not half of it.
    prefix > maxSegmentPrefixLength && network.found === undefined
      ? [
          "is too small: machines and containers get half of it each",
          `least /${maxSegmentPrefixLength}`,
        ]
      : undefined,
  ),
  check(podRange, (prefix, { cluster, nodes: machines }) => {
    const nodes = cluster.controlPlanes + cluster.workers.length + machines.length;
    const needed = podPrefixPerNode - Math.ceil(Math.log2(nodes));
    const small = `is too small: each of the ${nodes} nodes gets a /${podPrefixPerNode} of it`;
    const large = `is too large for kube-controller-manager, which cuts it into /${podPrefixPerNode} for the nodes`;
    if (prefix > needed) return [small, `least /${needed}`];
    return prefix < largestPodRange ? [large, `most /${largestPodRange}`] : undefined;
  }),
  check(serviceRange, (prefix) => {
    const small = "is too small for kubeadm, which requires ten addresses for services";
    if (prefix > smallestServiceRange) return [small, `least /${smallestServiceRange}`];
    return prefix < largestServiceRange
      ? ["is too large for kube-apiserver", `most /${largestServiceRange}`]
      : undefined;
  }),
];

type SizeRule = (
  prefix: number,
  settings: RangesOfLab,
) => readonly [why: string, allowed: string] | undefined;

function check(range: LabRange, rule: SizeRule): Check<RangesOfLab> {
  return {
    reads: [range.path.join(".")],
    run(settings) {
      const parsed = parseRange(range.read(settings));
      const fault = parsed && rule(parsed.prefixLength, settings);
      if (fault === undefined) return [];
      const [why, allowed] = fault;
      const instead = `Write a range of at ${allowed}${example(range, settings)}.`;
      return [{ path: range.path, why, instead }];
    },
  };
}

/** The ranges must not overlap: a node could not tell where to send a packet. */
export const rangesApart: readonly Check<RangesOfLab>[] = [
  apart(segmentRange, podRange),
  apart(segmentRange, serviceRange),
  apart(podRange, serviceRange),
];

/** Checks one pair, and reports a problem for the second setting. */
function apart(one: LabRange, other: LabRange): Check<RangesOfLab> {
  return {
    reads: [one.path.join("."), other.path.join(".")],
    run(settings) {
      const first = parseRange(one.read(settings));
      return unless(first === undefined || !overlapsText(first, other.read(settings)), {
        path: other.path,
        why: `overlaps ${pathText(one.path)}, ${one.read(settings)}`,
        instead: `Write a range that does not overlap it${example(other, settings)}.`,
      });
    },
  };
}
