import type { V1Node } from "@kubernetes/client-node";
import { type ClusterAnswers, found, foundItems, refusalText } from "./cluster-answers.ts";
import { type ClusterConfiguration, known } from "./cluster-configuration.ts";
import type { Findings } from "./findings.ts";

export type Distribution = "kubeadm" | "kubespray";

const own = (what: string): string =>
  `Join Windows machines with ${what}; kindows joins them only to kubeadm clusters.`;

const noWindows = (name: string): string =>
  `${name} does not support Windows nodes; kindows joins them only to kubeadm clusters.`;

/**
 * Kinds of clusters that nodes do not join with kubeadm, how they are recognised (by the API server's version or API
 * groups, or the nodes' labels or operating systems), and what to do instead. Versions:
 * https://github.com/rancher/turtles/pull/349 (`v1.26.12-eks-5e0fdde`, `-gke.`).
 */
const foreign: readonly (readonly [
  name: string,
  by: "version" | "labels" | "groups" | "systems",
  pattern: RegExp,
  instead: string,
])[] = [
  ["RKE2", "version", /\+rke2/, own("RKE2's own agent for Windows")],
  ["k3s", "version", /\+k3s/, noWindows("k3s")],
  ["k0s", "version", /\+k0s/, own("k0s's own worker for Windows")],
  ["EKS", "version", /-eks-/, own("one of EKS's own node groups")],
  ["GKE", "version", /-gke\./, own("one of GKE's own node pools")],
  ["AKS", "labels", /^kubernetes\.azure\.com\/cluster$/, own("one of AKS's own node pools")],
  ["OpenShift", "groups", /^config\.openshift\.io$/, own("its Windows Machine Config Operator")],
  ["MicroK8s", "labels", /^microk8s\.io\/cluster$/, own("Calico's own installer for MicroK8s")],
  ["Talos", "systems", /^Talos/, noWindows("Talos")],
];

/** Undefined if machines cannot join this kind of cluster with kubeadm. */
export function checkDistribution(
  answers: ClusterAnswers,
  { kubeadm }: ClusterConfiguration,
  version: string,
  findings: Findings,
): Distribution | undefined {
  const nodes = foundItems<V1Node>(answers, "nodes");
  const groups = found<{ groups?: { name: string }[] }>(answers, "groups")?.groups ?? [];
  const values = {
    version: [version],
    labels: nodes.flatMap((node) => Object.keys(node.metadata?.labels ?? {})),
    groups: groups.map(({ name }) => name),
    systems: nodes.map((node) => node.status?.nodeInfo?.osImage ?? ""),
  };
  const other = foreign.find(([, by, pattern]) => values[by].some((each) => pattern.test(each)));
  if (other !== undefined) {
    const [name, , , instead] = other;
    findings.report(
      "The cluster",
      `is recognised as ${name}, whose nodes do not join with kubeadm`,
      instead,
    );
    return undefined;
  }
  if (kubeadm === "missing") {
    findings.report(
      "ConfigMap kube-system/kubeadm-config",
      `cannot be read${refusalText(answers, "kubeadmConfig")}; every cluster made by kubeadm has it`,
      "Use a cluster that kubeadm or kubespray has made, and a user who may read it.",
    );
    return undefined;
  }
  // kubespray keeps the certificates there (https://github.com/kubernetes-sigs/kubespray/issues/11403), kubeadm by
  // default in /etc/kubernetes/pki. A kubespray cluster with another folder counts as kubeadm's, which does not affect
  // a join.
  return known(kubeadm)?.certificatesDir === "/etc/kubernetes/ssl" ? "kubespray" : "kubeadm";
}
