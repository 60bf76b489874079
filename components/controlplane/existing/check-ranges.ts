import { kubeadmSettings } from "./check-distribution.ts";
import type { ClusterAnswers } from "./cluster-answers.ts";
import type { ClusterProblem } from "./cluster-problem.ts";

/** IPv4 ranges of the cluster, in CIDR form. */
export interface Ranges {
  readonly podCidr: string;
  readonly serviceCidr: string;
}

const keys = { podCidr: "podSubnet", serviceCidr: "serviceSubnet" } as const;

/** The cluster's ranges by kubeadm's settings, which those of the stack must not contradict. */
export function checkRanges(
  answers: ClusterAnswers,
  wanted: Partial<Record<keyof Ranges, string | undefined>>,
): Ranges | ClusterProblem[] {
  const networking = kubeadmSettings(answers)?.networking ?? {};
  const problems: ClusterProblem[] = [];
  const range = (name: keyof Ranges): string => {
    const setting = `kindows:cluster.${name}`;
    // Of two families the IPv4 one: Windows nodes have no other here.
    const ofCluster = networking[keys[name]]?.split(",").find((one) => !one.includes(":"));
    const value = wanted[name];
    if (value !== undefined && ofCluster !== undefined && value !== ofCluster) {
      const why = `is not what the cluster has, ${ofCluster}`;
      problems.push({ subject: `${setting}: "${value}"`, why, instead: "Leave it out." });
    }
    if (value === undefined && ofCluster === undefined) {
      problems.push({
        subject: "ConfigMap kube-system/kubeadm-config",
        why: `has no IPv4 range as networking.${keys[name]}`,
        instead: `Write ${setting} as the cluster's pod network has it.`,
      });
    }
    return value ?? ofCluster ?? "";
  };
  const ranges = { podCidr: range("podCidr"), serviceCidr: range("serviceCidr") };
  return problems.length > 0 ? problems : ranges;
}
