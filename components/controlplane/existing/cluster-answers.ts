import type { Right } from "./rights.ts";

/** What the API server said to one question: what was asked for, or its refusal. */
export type Answer =
  | { readonly status: 200; readonly body: unknown }
  | { readonly status: number; readonly message: string };

/** What a cluster is asked; each a GET, by the name under which the answer is kept. */
export const questions = {
  version: "/version",
  groups: "/apis",
  kubeSystem: "/api/v1/namespaces/kube-system",
  nodes: "/api/v1/nodes",
  daemonSets: "/apis/apps/v1/daemonsets",
  kubeadmConfig: "/api/v1/namespaces/kube-system/configmaps/kubeadm-config",
  kubeProxyConfig: "/api/v1/namespaces/kube-system/configmaps/kube-proxy",
  clusterInfo: "/api/v1/namespaces/kube-public/configmaps/cluster-info",
  installation: "/apis/operator.tigera.io/v1/installations/default",
  // Calico's resources by its own API, and as its older releases store them.
  ipPools: "/apis/projectcalico.org/v3/ippools",
  ipamConfig: "/apis/projectcalico.org/v3/ipamconfigurations/default",
  felixConfig: "/apis/projectcalico.org/v3/felixconfigurations/default",
  storedIpPools: "/apis/crd.projectcalico.org/v1/ippools",
  storedIpamConfig: "/apis/crd.projectcalico.org/v1/ipamconfigs/default",
  storedFelixConfig: "/apis/crd.projectcalico.org/v1/felixconfigurations/default",
  servicesEndpoint: "/api/v1/namespaces/tigera-operator/configmaps/kubernetes-services-endpoint",
  flannelConfig: "/api/v1/namespaces/kube-flannel/configmaps/kube-flannel-cfg",
  // Where kubespray has it.
  flannelConfigInKubeSystem: "/api/v1/namespaces/kube-system/configmaps/kube-flannel-cfg",
} as const;

export type Question = keyof typeof questions;

/** Everything a cluster was asked and what it said: what is judged, and what tests record. */
export interface ClusterAnswers {
  readonly answers: Readonly<Record<Question, Answer>>;
  /** What the kubeconfig's user may do of what is needed, in the order of `rightsQuestions`. */
  readonly rights: readonly { readonly right: Right; readonly allowed: boolean }[];
}

/** An answer's body; undefined where it was refused or there is none. */
export function found<T>({ answers }: ClusterAnswers, question: Question): T | undefined {
  const answer = answers[question];
  return "body" in answer ? (answer.body as T) : undefined;
}
