import type { V1ConfigMap, V1NodeList } from "@kubernetes/client-node";
import { parse } from "yaml";
import { found, type ClusterAnswers } from "./cluster-answers.ts";
import type { ClusterProblem } from "./cluster-problem.ts";

/** Kinds of clusters whose nodes join by kubeadm. */
export type Distribution = "kubeadm" | "kubespray";

/** What tells kinds of clusters apart. */
interface Seen {
  /** The API server's own, e.g. `v1.36.4+rke2r1`. */
  readonly version: string;
  /** Keys of all nodes' labels. */
  readonly labels: readonly string[];
  readonly groups: readonly string[];
  readonly systems: readonly string[];
}

const own = (what: string): string =>
  `Join Windows machines by ${what}; kindows joins them to clusters of kubeadm's.`;

const noWindows = (name: string): string =>
  `${name} has no Windows nodes; kindows joins them to clusters of kubeadm's.`;

/**
 * Kinds of clusters that nodes do not join by kubeadm, how they are told, and what to do instead. Versions:
 * https://github.com/rancher/turtles/pull/349 (`v1.26.12-eks-5e0fdde`, `-gke.`).
 */
const foreign: readonly (readonly [
  name: string,
  matches: (seen: Seen) => boolean,
  instead: string,
])[] = [
  ["RKE2", ({ version }) => version.includes("+rke2"), own("RKE2's own agent for Windows")],
  ["k3s", ({ version }) => version.includes("+k3s"), noWindows("k3s")],
  ["k0s", ({ version }) => version.includes("+k0s"), own("k0s' own worker for Windows")],
  ["EKS", ({ version }) => version.includes("-eks-"), own("a node group of EKS' own")],
  ["GKE", ({ version }) => version.includes("-gke."), own("a node pool of GKE's own")],
  [
    "AKS",
    ({ labels }) => labels.includes("kubernetes.azure.com/cluster"),
    own("a node pool of AKS' own"),
  ],
  [
    "OpenShift",
    ({ groups }) => groups.includes("config.openshift.io"),
    own("its Windows Machine Config Operator"),
  ],
  [
    "MicroK8s",
    ({ labels }) => labels.includes("microk8s.io/cluster"),
    own("Calico's own installer for MicroK8s"),
  ],
  ["Talos", ({ systems }) => systems.some((each) => each.startsWith("Talos")), noWindows("Talos")],
];

/** kubeadm's own settings, as far as a join depends on them. */
export interface KubeadmSettings {
  readonly certificatesDir?: string;
  readonly networking?: { readonly podSubnet?: string; readonly serviceSubnet?: string };
}

/** kubeadm's settings in the cluster; undefined where it keeps none, or none that can be read. */
export function kubeadmSettings(answers: ClusterAnswers): KubeadmSettings | undefined {
  const text = found<V1ConfigMap>(answers, "kubeadmConfig")?.data?.["ClusterConfiguration"];
  return text === undefined ? undefined : ((parse(text) as KubeadmSettings | null) ?? undefined);
}

/** Which kind of cluster it is, or why machines cannot be joined to it by kubeadm. */
export function checkDistribution(answers: ClusterAnswers): Distribution | ClusterProblem {
  const nodes = found<V1NodeList>(answers, "nodes")?.items ?? [];
  const seen: Seen = {
    version: found<{ gitVersion?: string }>(answers, "version")?.gitVersion ?? "",
    labels: nodes.flatMap((node) => Object.keys(node.metadata?.labels ?? {})),
    groups: (found<{ groups?: { name: string }[] }>(answers, "groups")?.groups ?? []).map(
      ({ name }) => name,
    ),
    systems: nodes.map((node) => node.status?.nodeInfo?.osImage ?? ""),
  };
  const [other, , instead = ""] = foreign.find(([, matches]) => matches(seen)) ?? [];
  if (other !== undefined) {
    const why = `is one of ${other}, which kubeadm joins no nodes to`;
    return { subject: "The cluster", why, instead };
  }
  const settings = kubeadmSettings(answers);
  if (settings === undefined) {
    const answer = answers.answers.kubeadmConfig;
    const said = "message" in answer ? `: ${answer.message}` : "";
    return {
      subject: "ConfigMap kube-system/kubeadm-config",
      why: `cannot be read${said}; without it this is no cluster of kubeadm's`,
      instead: "Use a cluster that kubeadm or kubespray has made, and a user who may read it.",
    };
  }
  // kubespray keeps the certificates there (https://github.com/kubernetes-sigs/kubespray/issues/11403); kubeadm by itself
  // in /etc/kubernetes/pki. With a folder of its own it counts as kubeadm's, which makes no difference to a join.
  return settings.certificatesDir === "/etc/kubernetes/ssl" ? "kubespray" : "kubeadm";
}
