import type { V1DaemonSetList, V1Node } from "@kubernetes/client-node";

import { unreadyReason } from "../../components/controlplane/unready-reason.ts";
import {
  type ClusterAnswers,
  commonQuestions,
} from "../../components/controlplane/existing/cluster-answers.ts";
import {
  domainsOf,
  readConfiguration,
  usualDomain,
} from "../../components/controlplane/existing/cluster-configuration.ts";
import { Findings } from "../../components/controlplane/existing/findings.ts";
import type { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import type { Os } from "../objects/names.ts";

export interface NodeFact {
  readonly name: string;
  readonly os: Os;
  /** Internal IPv4 address; empty if the node has none. */
  readonly address: string;
  /** Why the node is not Ready. */
  readonly trouble?: string | undefined;
  /** Label `node.kubernetes.io/windows-build`, e.g. `10.0.20348`; only on Windows nodes. */
  readonly windowsBuild?: string | undefined;
  readonly version: string;
  readonly system: string;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** Facts that decide which rows can be run here. */
export interface Facts {
  readonly nodes: readonly NodeFact[];
  /** Domain of the cluster's DNS. Default: kubeadm's. */
  readonly clusterDomain?: string;
  /** Whether Windows is rehearsed, i.e. most containers on its nodes are simulated. */
  readonly rehearsal: boolean;
  /** Whether pods of rehearsed nodes have a network, because the pod network's own programs run there. */
  readonly rehearsedPodNetwork?: boolean;
  /**
   * Why Windows pods have no network; undefined if they have one. The other fields that begin with `no` are similar.
   */
  readonly noWindowsPodNetwork?: string;
  readonly noWindowsHostPorts?: string;
  readonly noWindowsPodToHost?: string;
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
    annotations: node.metadata?.annotations,
  };
}

/** Tags of Microsoft's base images, by the nodes' label `node.kubernetes.io/windows-build`. */
export const windowsReleases: Readonly<Record<string, string>> = {
  "10.0.17763": "ltsc2019",
  "10.0.20348": "ltsc2022",
  "10.0.26100": "ltsc2025",
};

/** DaemonSets of pod networks that do not enforce NetworkPolicies. kindnet, in kind's own images, does enforce them. */
const without: readonly (readonly [RegExp, string])[] = [
  [/^kube-flannel/, "Flannel does not"],
  [/^pod-routes$/, "the one in node images built on this host does not"],
];

/** DaemonSets or images of programs that enforce NetworkPolicies in addition to such a network. */
const enforcers = /calico-node|canal|kube-router|kube-network-policies/;

/** Why the pod network enforces no NetworkPolicies; undefined if it does, or if the pod network is unknown. */
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

/** Whether each Windows node has the annotation that the pod network's own program writes there. */
export function runsPodNetwork(
  facts: Pick<Facts, "nodes">,
  annotation: string | undefined,
): boolean {
  const windows = nodesOf(facts, "windows");
  const has = ({ annotations }: NodeFact): boolean =>
    annotation !== undefined && annotations?.[annotation] !== undefined;
  return windows.length > 0 && windows.every(has);
}

/** The domain that the cluster's own configuration says; kubeadm's default if nobody may read it. */
export async function clusterDomainOf(api: ClusterApi): Promise<string> {
  const questions = ["kubeadmConfig", "kubeletConfig"] as const;
  const answers = await Promise.all(
    questions.map(async (name) => {
      const body = await api.find(commonQuestions[name]).catch(() => undefined);
      return [name, body === undefined ? { refusal: "" } : { body }] as const;
    }),
  );
  const known = { answers: Object.fromEntries(answers) as ClusterAnswers["answers"], denied: [] };
  const [domain = usualDomain] = domainsOf(readConfiguration(known, new Findings()));
  return domain;
}
