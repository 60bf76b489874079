import type { Check } from "../problem.ts";
import { maxSegmentPrefixLength } from "../address-plan.ts";
import { parseRange } from "../ipv4.ts";
import type { NamedSettings } from "../settings.ts";
import { podRange, segmentRange, serviceRange } from "./lab-ranges.ts";
import type { LabRange } from "./lab-ranges.ts";

/** kube-controller-manager's default: a /24 of the pod range for every node. */
const podPrefixPerNode = 24;

/** It refuses a pod range more than 16 bits larger than that. */
const largestPodRange = podPrefixPerNode - 16;

/** kubeadm wants ten addresses for services, kube-apiserver at most 20 bits of them. */
const [smallestServiceRange, largestServiceRange] = [28, 12];

/** Every range is large enough for its purpose, and no larger than Kubernetes allows. */
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
