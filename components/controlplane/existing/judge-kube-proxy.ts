import type { V1ConfigMap, V1DaemonSetList } from "@kubernetes/client-node";
import { found, type ClusterAnswers } from "./cluster-answers.ts";
import type { ClusterProblem } from "./cluster-problem.ts";

/** Written on everything that this program makes in a cluster. */
const ownMark = "pulumi.com/patchFieldManager";

/** Whether kube-proxy for Windows is installed by this stack, or is there already and left alone. */
export function judgeKubeProxy(answers: ClusterAnswers): {
  readonly kubeProxy: "install" | "there";
  readonly problems: readonly ClusterProblem[];
} {
  const theirs = (found<V1DaemonSetList>(answers, "daemonSets")?.items ?? []).some(
    ({ metadata, spec }) =>
      /kube-proxy/.test(metadata?.name ?? "") &&
      spec?.template.spec?.nodeSelector?.["kubernetes.io/os"] === "windows" &&
      metadata?.annotations?.[ownMark] !== "kindows",
  );
  if (theirs) {
    return { kubeProxy: "there", problems: [] };
  }
  const config = found<V1ConfigMap>(answers, "kubeProxyConfig")?.data?.["kubeconfig.conf"];
  return {
    kubeProxy: "install",
    problems:
      config === undefined
        ? [
            {
              subject: "ConfigMap kube-system/kube-proxy",
              why: "is not there or has no kubeconfig.conf, with which kube-proxy on Windows nodes reaches the API server",
              instead:
                "Install kube-proxy as kubeadm does (kubeadm init phase addon kube-proxy), or kube-proxy for Windows yourself.",
            },
          ]
        : [],
  };
}
