import type { V1DaemonSetList } from "@kubernetes/client-node";

import type { ClusterApi } from "../../kubernetes/cluster-api.ts";

/** Pod networks that enforce no NetworkPolicies, by their DaemonSets. kind's own images have kindnet, which does. */
const without: readonly (readonly [RegExp, string])[] = [
  [/^kube-flannel/, "Flannel does not"],
  [/^pod-routes$/, "the one of a node image that is built here does not"],
];

/** What enforces them beside such a network, by its DaemonSet or image. */
const enforcers = /calico-node|canal|kube-router|kube-network-policies/;

/** Why the pod network enforces no NetworkPolicies, if that is known. */
export async function whyNoNetworkPolicies(api: ClusterApi): Promise<string | undefined> {
  const { items } = await api.get<V1DaemonSetList>("/apis/apps/v1/daemonsets");
  const names = items.map(({ metadata }) => metadata?.name ?? "");
  const images = items.flatMap(({ spec }) =>
    (spec?.template.spec?.containers ?? []).map(({ image }) => image ?? ""),
  );
  if ([...names, ...images].some((each) => enforcers.test(each))) return undefined;
  const found = without.find(([pattern]) => names.some((name) => pattern.test(name)));
  return found && `needs a pod network that enforces NetworkPolicies: ${found[1]}`;
}
