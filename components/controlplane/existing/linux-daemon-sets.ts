import type { V1DaemonSet } from "@kubernetes/client-node";
import { type ClusterAnswers, foundItems } from "./cluster-answers.ts";
import type { Findings } from "./findings.ts";
import { comesToWindows } from "./pod-systems.ts";

/**
 * DaemonSets that a node does not work without, and that must be kept off Windows nodes because their images are for
 * Linux.
 */
const essential =
  /^(kube-proxy$|calico-node|canal|kube-flannel|kindnet|cilium|weave|nodelocaldns|node-local-dns)/;

/** Reports essential DaemonSets that are not kept off Windows nodes, and warns of others. */
export function checkDaemonSets(answers: ClusterAnswers, findings: Findings): void {
  const patch = `'{"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/os":"linux"}}}}}'`;
  for (const set of foundItems<V1DaemonSet>(answers, "daemonSets")) {
    if (!comesToWindows(set.spec?.template.spec)) continue;
    const { namespace = "", name = "" } = set.metadata ?? {};
    const subject = `DaemonSet ${namespace}/${name}`;
    const why = "is not kept off Windows nodes";
    if (essential.test(name)) {
      findings.report(
        subject,
        `${why}, where its Linux image cannot run`,
        `Set its node selector: kubectl -n ${namespace} patch daemonset ${name} -p ${patch}.`,
      );
    } else {
      findings.warn(`${subject} ${why}: unless its image is for both systems, its pods fail there`);
    }
  }
}
