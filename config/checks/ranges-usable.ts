import type { Check } from "../problem.ts";
import { overlaps, parseRange } from "../ipv4.ts";
import type { Ipv4Range } from "../ipv4.ts";
import type { NamedSettings } from "../settings.ts";
import { labRanges, proposedRange } from "./lab-ranges.ts";

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
    const why =
      parsed === undefined ? undefined : (reservedBy(parsed, settings) ?? publicBy(parsed));
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
