import { overlaps, parseRange } from "../ipv4.ts";
import { pathText, type Check } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";
import { podRange, proposedRange, segmentRange, serviceRange } from "./lab-ranges.ts";
import type { LabRange } from "./lab-ranges.ts";

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
