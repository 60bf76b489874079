import type { Right } from "./rights.ts";

export type Answer =
  | { readonly status: 200; readonly body: unknown }
  | { readonly status: number; readonly message: string };

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
  readonly rights: readonly { readonly right: Right; readonly allowed: boolean }[];
}

/** An answer's body; undefined where it was refused or there is none. */
export function found<T>({ answers }: ClusterAnswers, question: string): T | undefined {
  const answer = answers[question];
  return answer !== undefined && "body" in answer ? (answer.body as T) : undefined;
}
