import type { Right } from "./rights.ts";

/** What a cluster answered to a GET, or in which words it refused. */
export type Answer = { readonly body: unknown } | { readonly refusal: string };

/** What every cluster is asked, besides what pod networks want to know; each a GET, by the name under which the answer is kept. */
export const commonQuestions = {
  version: "/version",
  groups: "/apis",
  kubeSystem: "/api/v1/namespaces/kube-system",
  nodes: "/api/v1/nodes",
  daemonSets: "/apis/apps/v1/daemonsets",
  kubeadmConfig: "/api/v1/namespaces/kube-system/configmaps/kubeadm-config",
  kubeProxyConfig: "/api/v1/namespaces/kube-system/configmaps/kube-proxy",
  clusterInfo: "/api/v1/namespaces/kube-public/configmaps/cluster-info",
} as const;

export interface ClusterAnswers {
  readonly answers: Readonly<Record<keyof typeof commonQuestions, Answer> & Record<string, Answer>>;
  /** What the kubeconfig's user may not do, of all that anybody needs. */
  readonly denied: readonly Right[];
}

/** An answer's body; undefined where it was refused or there is none. */
export function found<T>({ answers }: ClusterAnswers, question: string): T | undefined {
  const answer = answers[question];
  return answer !== undefined && "body" in answer ? (answer.body as T) : undefined;
}

/** The objects of a list; none where it was refused. */
export function foundItems<T>(answers: ClusterAnswers, question: string): readonly T[] {
  return found<{ readonly items?: readonly T[] }>(answers, question)?.items ?? [];
}
