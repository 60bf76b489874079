import { type Ipv4Range, overlaps, parseRange } from "../ipv4.ts";
import type { NamedSettings } from "../settings.ts";
import { type Check, pathText } from "../problem.ts";
import { maxSegmentPrefixLength } from "../address-plan.ts";

/** One of the three IPv4 ranges a lab has. */
interface LabRange {
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
const podRange: LabRange = {
  path: ["cluster", "podCidr"],
  reads: "cluster.podCidr",
  read: (settings) => settings.cluster.podCidr,
  candidates: ["10.244.0.0/16", "10.245.0.0/16", "10.246.0.0/16", "172.30.0.0/16"],
};

/** The services. */
const serviceRange: LabRange = {
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

interface Reserved {
  readonly cidr: string;
  readonly why: string;
  /** When it is; always unless given. */
  applies?(settings: NamedSettings): boolean;
}

/** What a lab's ranges must keep off, whatever the host. */
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

/** Address space that belongs to nobody else: RFC 1918 and RFC 6598. */
const privateSpace = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"];

/** Every range is private address space, and not a part of it that is taken on every host. */
export const rangesUsable: readonly Check<NamedSettings>[] = labRanges.map((range) => ({
  reads: [range.reads],
  run(settings) {
    const value = range.read(settings);
    const parsed = parseRange(value);
    const why = parsed === undefined ? undefined : rangeFault(parsed, settings);
    return why === undefined
      ? []
      : [
          {
            path: range.path,
            value,
            why,
            instead: `Write another range, e.g. ${proposedRange(range, settings)}.`,
          },
        ];
  },
}));

/** Why no segment of a lab can have a range, whatever the host. */
export function rangeFault(range: Ipv4Range, settings: NamedSettings): string | undefined {
  return reservedBy(range, settings) ?? publicBy(range);
}

function reservedBy(range: Ipv4Range, settings: NamedSettings): string | undefined {
  return reserved.find((one) => {
    const parsed = parseRange(one.cidr);
    return parsed !== undefined && overlaps(parsed, range) && (one.applies?.(settings) ?? true);
  })?.why;
}

function publicBy(range: Ipv4Range): string | undefined {
  const inside = privateSpace.some((cidr) => {
    const space = parseRange(cidr);
    return space !== undefined && space.first <= range.first && range.last <= space.last;
  });
  return inside ? undefined : `is not private address space (${privateSpace.join(", ")})`;
}

/** kube-controller-manager's default: a /24 of the pod range for every node. */
const podPrefixPerNode = 24;

/** It refuses a pod range more than 16 bits larger than that. */
const largestPodRange = podPrefixPerNode - 16;

/** kubeadm wants ten addresses for services, kube-apiserver at most 20 bits of them. */
const [smallestServiceRange, largestServiceRange] = [28, 12];

/** Every range is large enough for what it is for, and no larger than Kubernetes takes. */
export const rangeSizes: readonly Check<NamedSettings>[] = [
  check(segmentRange, (prefix) =>
    prefix > maxSegmentPrefixLength
      ? {
          why: "is too small: machines and containers get a half of it each",
          instead: `Write a range of at least /${maxSegmentPrefixLength}`,
        }
      : undefined,
  ),
  check(podRange, (prefix, settings) => {
    const nodes = nodeCount(settings);
    const needed = podPrefixPerNode - Math.ceil(Math.log2(nodes));
    if (prefix > needed) {
      return {
        why: `is too small: each of the ${nodes} nodes gets a /${podPrefixPerNode} of it`,
        instead: `Write a range of at least /${needed}`,
      };
    }
    return prefix < largestPodRange
      ? {
          why: `is too large for kube-controller-manager, which cuts it into /${podPrefixPerNode} for the nodes`,
          instead: `Write a range of at most /${largestPodRange}`,
        }
      : undefined;
  }),
  check(serviceRange, (prefix) => {
    if (prefix > smallestServiceRange) {
      return {
        why: "is too small for kubeadm, which wants ten addresses for services",
        instead: `Write a range of at least /${smallestServiceRange}`,
      };
    }
    return prefix < largestServiceRange
      ? {
          why: "is too large for kube-apiserver",
          instead: `Write a range of at most /${largestServiceRange}`,
        }
      : undefined;
  }),
];

type SizeRule = (
  prefix: number,
  settings: NamedSettings,
) => { why: string; instead: string } | undefined;

function check(range: LabRange, rule: SizeRule): Check<NamedSettings> {
  return {
    reads: [range.reads],
    run(settings) {
      const value = range.read(settings);
      const parsed = parseRange(value);
      const complaint = parsed === undefined ? undefined : rule(parsed.prefixLength, settings);
      return complaint === undefined
        ? []
        : [
            {
              path: range.path,
              value,
              why: complaint.why,
              instead: `${complaint.instead}, e.g. ${range.candidates[0]}.`,
            },
          ];
    },
  };
}

function nodeCount({ cluster, nodes }: NamedSettings): number {
  return cluster.controlPlanes + cluster.workers.length + nodes.length;
}

/** Segment, pods and services never share an address: a node could not tell where a packet goes. */
export const rangesApart: readonly Check<NamedSettings>[] = [
  apart(segmentRange, podRange),
  apart(segmentRange, serviceRange),
  apart(podRange, serviceRange),
];

/** Checks one pair; the later setting is the one to change. */
function apart(one: LabRange, other: LabRange): Check<NamedSettings> {
  return {
    reads: [one.reads, other.reads],
    run(settings) {
      const [first, second] = [parseRange(one.read(settings)), parseRange(other.read(settings))];
      if (first === undefined || second === undefined || !overlaps(first, second)) {
        return [];
      }
      return [
        {
          path: other.path,
          value: other.read(settings),
          why: `overlaps ${pathText(one.path)}, ${one.read(settings)}`,
          instead: `Write a range apart from it, e.g. ${proposedRange(other, settings)}.`,
        },
      ];
    },
  };
}
