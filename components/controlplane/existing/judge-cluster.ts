import { found, type ClusterAnswers } from "./cluster-answers.ts";
import type { ClusterProblem } from "./cluster-problem.ts";
import { judgeDaemonSets } from "./judge-daemon-sets.ts";
import { judgeDistribution, type Distribution } from "./judge-distribution.ts";
import { judgeEndpoint, type JoinTarget } from "./judge-endpoint.ts";
import { judgeKubeProxy } from "./judge-kube-proxy.ts";
import { judgeNodes, type WantedNode } from "./judge-nodes.ts";
import {
  judgePodNetwork,
  type FoundPodNetwork,
  type WantedPodNetwork,
} from "./judge-pod-network.ts";
import { judgeRanges, type Ranges } from "./judge-ranges.ts";
import { judgeRights } from "./judge-rights.ts";
import { judgeVersion } from "./judge-version.ts";

/** What the settings say of a cluster that is there. */
export interface WantedCluster {
  /** Version of the nodes, e.g. `1.36.4`. */
  readonly kubernetesVersion: string;
  readonly endpoint?: string | undefined;
  readonly podCidr?: string | undefined;
  readonly serviceCidr?: string | undefined;
  readonly cni: WantedPodNetwork;
  /** The machines that are to join it. */
  readonly nodes: readonly WantedNode[];
}

/** What a cluster is, as far as nodes that join it depend on it. */
export interface ClusterFacts extends JoinTarget, Ranges {
  /** Tells it from every other: the uid of its namespace kube-system. */
  readonly id: string;
  /** Version of its API server, without a leading `v`. */
  readonly serverVersion: string;
  readonly distribution: Distribution;
  readonly podNetwork: FoundPodNetwork;
  readonly kubeProxy: "install" | "there";
}

/** A cluster judged: what it is, or all that stands against it. Warnings either way. */
export type ClusterJudgement = { readonly warnings: readonly string[] } & (
  { readonly facts: ClusterFacts } | { readonly problems: readonly ClusterProblem[] }
);

/** Whether Windows machines can be joined to a cluster that gave these answers; pure. */
export function judgeCluster(answers: ClusterAnswers, wanted: WantedCluster): ClusterJudgement {
  const distribution = judgeDistribution(answers);
  if (typeof distribution !== "string") {
    // Whatever else there is to say, nobody can mend it.
    return { problems: [distribution, ...judgeRights(answers, false)], warnings: [] };
  }
  const problems: ClusterProblem[] = [];
  const server = found<{ gitVersion?: string }>(answers, "version")?.gitVersion ?? "";
  problems.push(...judgeVersion(server, wanted.kubernetesVersion));
  const target = judgeEndpoint(answers, wanted.endpoint);
  const ranges = judgeRanges(answers, wanted);
  if ("why" in target) {
    problems.push(target);
  }
  if (Array.isArray(ranges)) {
    problems.push(...ranges);
  }
  problems.push(...judgeNodes(answers, wanted.nodes, Array.isArray(ranges) ? undefined : ranges));
  const { network, problems: ofNetwork } = judgePodNetwork(answers, wanted.cni, {
    serviceCidr: Array.isArray(ranges) ? "" : ranges.serviceCidr,
    endpoint: "why" in target ? "" : target.endpoint,
  });
  const { kubeProxy, problems: ofKubeProxy } = judgeKubeProxy(answers);
  const sets = judgeDaemonSets(answers);
  problems.push(...ofNetwork, ...ofKubeProxy, ...sets.problems);
  problems.push(...judgeRights(answers, network.kind === "flannel"));
  const id = found<{ metadata?: { uid?: string } }>(answers, "kubeSystem")?.metadata?.uid;
  if (id === undefined) {
    problems.push({
      subject: "Namespace kube-system",
      why: "cannot be read: what tells the cluster from others is not known",
      instead: "Have the kubeconfig's user read it.",
    });
  }
  const { warnings } = sets;
  if (problems.length > 0 || "why" in target || Array.isArray(ranges) || id === undefined) {
    return { problems, warnings };
  }
  const serverVersion = server.replace(/^v/, "").replace(/[+-].*$/, "");
  const facts = { id, serverVersion, distribution, podNetwork: network, kubeProxy };
  return { facts: { ...facts, ...target, ...ranges }, warnings };
}
