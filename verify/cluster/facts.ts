import type { V1DaemonSetList, V1Node } from "@kubernetes/client-node";

import { unreadyReason } from "../../components/controlplane/unready-reason.ts";
import type { ClusterApi } from "../../kubernetes/cluster-api.ts";
import type { Os } from "../rows/row.ts";

export interface NodeFact {
  readonly name: string;
  readonly os: Os;
  /** Its internal IPv4 address; empty if it has none. */
  readonly address: string;
  readonly trouble?: string | undefined;
  /** Label `node.kubernetes.io/windows-build`, e.g. `10.0.20348`; only on Windows nodes. */
  readonly windowsBuild?: string | undefined;
  readonly version: string;
  readonly system: string;
}

/** Facts that decide which rows can be run here. */
export interface Facts {
  readonly nodes: readonly NodeFact[];
  /** Whether Windows is rehearsed: containers on its nodes are modelled. */
  readonly rehearsal: boolean;
  /** Why Windows pods have no network, if so; the others that begin with `no` likewise. */
  readonly noWindowsPodNetwork?: string;
  readonly noWindowsHostPorts?: string;
  readonly noNetworkPolicies?: string;
  /** Whether Windows nodes have routes to pods and Services through a Linux node. */
  readonly windowsNodeRoutes?: boolean;
  readonly noHost?: string;
  readonly noInternet?: string;
}

export function nodesOf(facts: Pick<Facts, "nodes">, os: Os): readonly NodeFact[] {
  return facts.nodes
    .filter((node) => node.os === os)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

export function nodeFact(node: V1Node): NodeFact {
  const labels = node.metadata?.labels ?? {};
  const info = node.status?.nodeInfo;
  const internal = node.status?.addresses?.find(
    ({ type, address }) => type === "InternalIP" && address.includes("."),
  );
  return {
    name: node.metadata?.name ?? "",
    os: info?.operatingSystem === "windows" ? "windows" : "linux",
    address: internal?.address ?? "",
    trouble: unreadyReason(node),
    windowsBuild: labels["node.kubernetes.io/windows-build"],
    version: info?.kubeletVersion ?? "",
    system: info?.osImage ?? "",
  };
}

/** Tags of Microsoft's base images, by the nodes' label `node.kubernetes.io/windows-build`. */
export const windowsReleases: Readonly<Record<string, string>> = {
  "10.0.17763": "ltsc2019",
  "10.0.20348": "ltsc2022",
  "10.0.26100": "ltsc2025",
};

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
