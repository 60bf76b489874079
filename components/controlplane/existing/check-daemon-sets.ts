import type { V1DaemonSet, V1DaemonSetList, V1PodSpec } from "@kubernetes/client-node";
import { found, type ClusterAnswers } from "./cluster-answers.ts";
import type { ClusterProblem } from "./cluster-problem.ts";

/** DaemonSets that must not come to Windows nodes: they are Linux programs without which a node does not work. */
const essential =
  /^(kube-proxy$|calico-node|canal|kube-flannel|kindnet|cilium|weave|nodelocaldns|node-local-dns)/;

const osLabels = ["kubernetes.io/os", "beta.kubernetes.io/os"];

/** DaemonSets that would come to a Windows node and do not work there. */
export interface StrayDaemonSets {
  /** Such as would keep it from working. */
  readonly problems: readonly ClusterProblem[];
  /** The others, one line each. */
  readonly warnings: readonly string[];
}

/** The cluster's DaemonSets, kept off Windows nodes or not. */
export function checkDaemonSets(answers: ClusterAnswers): StrayDaemonSets {
  const stray = (found<V1DaemonSetList>(answers, "daemonSets")?.items ?? []).filter(
    ({ spec }) => spec?.template.spec !== undefined && comesToWindows(spec.template.spec),
  );
  const patch = `'{"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/os":"linux"}}}}}'`;
  return {
    problems: stray.filter(isEssential).map(({ metadata = {} }) => ({
      subject: `DaemonSet ${metadata.namespace ?? ""}/${metadata.name ?? ""}`,
      why: "is not kept off Windows nodes, where its Linux image would fail for ever",
      instead: `Set its node selector: kubectl -n ${metadata.namespace ?? ""} patch daemonset ${metadata.name ?? ""} -p ${patch}.`,
    })),
    warnings: stray
      .filter((set) => !isEssential(set))
      .map(
        ({ metadata = {} }) =>
          `DaemonSet ${metadata.namespace ?? ""}/${metadata.name ?? ""} is not kept off Windows nodes: unless its image is for both systems, its pods fail there`,
      ),
  };
}

function isEssential({ metadata }: V1DaemonSet): boolean {
  return essential.test(metadata?.name ?? "");
}

/** Whether nothing in a pod's selectors speaks against a Windows node. Taints do not count: who removes them asks nobody. */
function comesToWindows({ nodeSelector = {}, affinity }: V1PodSpec): boolean {
  const selected = osLabels.map((label) => nodeSelector[label]).find((os) => os !== undefined);
  if (selected !== undefined) {
    // One that is made for Windows comes there on purpose.
    return false;
  }
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  // A pod comes where any of the terms fits.
  return (
    terms.length === 0 ||
    terms.some(
      ({ matchExpressions = [] }) => !matchExpressions.some(({ key }) => osLabels.includes(key)),
    )
  );
}
