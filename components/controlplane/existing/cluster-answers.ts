import type { X509Certificate } from "node:crypto";
import type { Right } from "./rights.ts";

/** A cluster's answer to a GET request, or its error message, and whether the server behind it is only away. */
export type Answer =
  { readonly body: unknown } | { readonly refusal: string; readonly isAway?: true };

/** Paths of the GET requests to every cluster, by the names of the answers. Pod networks add their own. */
export const commonQuestions = {
  version: "/version",
  groups: "/apis",
  kubeSystem: "/api/v1/namespaces/kube-system",
  nodes: "/api/v1/nodes",
  daemonSets: "/apis/apps/v1/daemonsets",
  kubeadmConfig: "/api/v1/namespaces/kube-system/configmaps/kubeadm-config",
  kubeletConfig: "/api/v1/namespaces/kube-system/configmaps/kubelet-config",
  kubeProxyConfig: "/api/v1/namespaces/kube-system/configmaps/kube-proxy",
  clusterInfo: "/api/v1/namespaces/kube-public/configmaps/cluster-info",
  /** The API servers' own addresses, behind the Service `kubernetes`. */
  apiServers:
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dkubernetes",
  /** The Services of the cluster's DNS, whatever their names. */
  dnsServices: "/api/v1/namespaces/kube-system/services?labelSelector=k8s-app%3Dkube-dns",
} as const;

export interface ClusterAnswers {
  readonly answers: Readonly<Record<keyof typeof commonQuestions, Answer> & Record<string, Answer>>;
  /** Rights that the kubeconfig's user lacks, of all that any pod network needs. */
  readonly denied: readonly Right[];
  /** HTTP status of `cluster-info` without credentials, as `kubeadm join` asks for it; undefined if there was none. */
  readonly anonymousStatus?: number | undefined;
  /** The certificate of the API server that answered. */
  readonly certificate?:
    Pick<X509Certificate, "checkHost" | "checkIP" | "subjectAltName"> | undefined;
  /** Whether the DNS of this host knows the name at which machines reach the API server; undefined if not asked. */
  readonly isNameKnown?: boolean | undefined;
}

/** The body of an answer; undefined if the request was refused or not made. */
export function found<T>({ answers }: ClusterAnswers, question: string): T | undefined {
  const answer = answers[question];
  return answer !== undefined && "body" in answer ? (answer.body as T) : undefined;
}

/** Whether the cluster has a server for the question that does not answer at present. */
export function isAway({ answers }: ClusterAnswers, question: string): boolean {
  const answer = answers[question];
  return answer !== undefined && "refusal" in answer && answer.isAway === true;
}

/** The objects of a list; empty if the request was refused. */
export function foundItems<T>(answers: ClusterAnswers, question: string): readonly T[] {
  return found<{ readonly items?: readonly T[] }>(answers, question)?.items ?? [];
}

/** The API server's error, as the end of a sentence; empty if there was none. */
export function refusalText({ answers }: ClusterAnswers, question: string): string {
  const answer = answers[question];
  return answer !== undefined && "refusal" in answer ? `: ${answer.refusal}` : "";
}
