import { parseRange } from "../../../config/ipv4.ts";
import type { FoundPods } from "../../cni/pod-network.ts";
import { type ClusterConfiguration, known } from "./cluster-configuration.ts";
import type { Findings } from "./findings.ts";

export interface ClusterRanges {
  /** Range of pods: the first of `podCidrs`. */
  readonly podCidr: string;
  /** IPv4 ranges that pods get their addresses from, by the pod network's own configuration if it has one. */
  readonly podCidrs: readonly string[];
  readonly serviceCidr: string;
}

/** The ranges that the stack's settings name. */
export interface WantedRanges {
  readonly podCidr?: string | undefined;
  readonly serviceCidr?: string | undefined;
}

/** Their names in kubeadm's settings. */
const keys = { podCidr: "podSubnet", serviceCidr: "serviceSubnet" } as const;

/** The IPv4 ranges of a list. A cluster has at most one of them; kindows supports only IPv4. */
function ipv4Ranges(list: string | null | undefined): readonly string[] {
  return (list ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => parseRange(each) !== undefined);
}

/** The cluster's range, from kubeadm's settings there or from the stack's, which must not contradict each other. */
export function checkRange(
  name: keyof WantedRanges,
  { kubeadm }: ClusterConfiguration,
  wanted: WantedRanges,
  findings: Findings,
): string | undefined {
  if (kubeadm === "broken") return wanted[name];
  const setting = `kindows:cluster.${name}`;
  const written = known(kubeadm)?.networking?.[keys[name]];
  const [ofCluster] = ipv4Ranges(written);
  const subject = "ConfigMap kube-system/kubeadm-config";
  if (name === "serviceCidr" && (written ?? "").split(",")[0]?.includes(":") === true) {
    const why = `has an IPv6 range first as networking.serviceSubnet, ${written ?? ""}, so that the cluster's DNS has an IPv6 address, which pods on Windows do not reach`;
    findings.report(subject, why, "Use a cluster whose Services have IPv4 addresses first.");
    return undefined;
  }
  const value = wanted[name] ?? ofCluster;
  if (value === undefined) {
    findings.report(
      subject,
      `has no IPv4 range as networking.${keys[name]}`,
      `Write ${setting} as the cluster's pod network has it.`,
    );
  } else if (ofCluster !== undefined && value !== ofCluster) {
    findings.report(
      `${setting}: "${value}"`,
      `is not what the cluster has, ${ofCluster}`,
      "Leave it out.",
    );
    return undefined;
  }
  return value;
}

/** The ranges of pods. What the pod network itself is configured with counts, not what kubeadm was once told. */
export function checkPodRanges(
  pods: FoundPods | undefined,
  configuration: ClusterConfiguration,
  wanted: WantedRanges,
  findings: Findings,
): readonly string[] {
  if (pods === undefined || pods.ranges.length === 0) {
    const range = checkRange("podCidr", configuration, wanted, findings);
    return range === undefined ? [] : [range];
  }
  const { ranges, of } = pods;
  const text = ranges.join(", ");
  if (wanted.podCidr !== undefined && !ranges.includes(wanted.podCidr)) {
    const why = `is not what the cluster has, ${text} (${of})`;
    findings.report(`kindows:cluster.podCidr: "${wanted.podCidr}"`, why, "Leave it out.");
  }
  const [ofKubeadm] = ipv4Ranges(known(configuration.kubeadm)?.networking?.podSubnet);
  const range = parseRange(ofKubeadm ?? "");
  const isInside = ranges.every((each) => {
    const one = parseRange(each);
    return !range || !one || (range.first <= one.first && one.last <= range.last);
  });
  if (!isInside) {
    findings.warn(
      `Pods get their addresses from ${text} (${of}), not from ${ofKubeadm ?? ""} as kubeadm's networking.podSubnet says; the former counts`,
    );
  }
  return ranges;
}
