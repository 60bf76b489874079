import type { V1ConfigMap, V1DaemonSetList } from "@kubernetes/client-node";
import semver from "semver";
import type { FoundPodNetwork, WantedPodNetwork } from "../../cni/pod-network.ts";
import { inExisting } from "../../cni/registry.ts";
import { found, type ClusterAnswers } from "./cluster-answers.ts";
import type { ClusterProblem } from "./cluster-problem.ts";
import { checkDaemonSets } from "./check-daemon-sets.ts";
import { checkDistribution, type Distribution } from "./check-distribution.ts";
import { checkEndpoint, type JoinTarget } from "./check-endpoint.ts";
import { checkNodes, type WantedNode } from "./check-nodes.ts";
import { checkPodNetwork } from "./check-pod-network.ts";
import { checkRanges, type Ranges } from "./check-ranges.ts";
import { rightsQuestions, rightText, type Right } from "./rights.ts";

/** How many minor versions a kubelet may be older than the API server: Kubernetes' version skew policy. */
const kubeletMayLag = 3;

/** Written on everything that this program makes in a cluster. */
const ownMark = "pulumi.com/patchFieldManager";

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

/** A cluster checked: what it is, or all that stands against it. Warnings either way. */
export type ClusterCheck = { readonly warnings: readonly string[] } & (
  { readonly facts: ClusterFacts } | { readonly problems: readonly ClusterProblem[] }
);

/** Whether Windows machines can be joined to a cluster that gave these answers; pure. */
export function checkCluster(answers: ClusterAnswers, wanted: WantedCluster): ClusterCheck {
  const distribution = checkDistribution(answers);
  if (typeof distribution !== "string") {
    // Whatever else there is to say, nobody can mend it.
    return { problems: [distribution, ...checkRights(answers, [])], warnings: [] };
  }
  const problems: ClusterProblem[] = [];
  const server = found<{ gitVersion?: string }>(answers, "version")?.gitVersion ?? "";
  problems.push(...checkVersion(server, wanted.kubernetesVersion));
  const target = checkEndpoint(answers, wanted.endpoint);
  const ranges = checkRanges(answers, wanted);
  if ("why" in target) {
    problems.push(target);
  }
  if (Array.isArray(ranges)) {
    problems.push(...ranges);
  }
  problems.push(...checkNodes(answers, wanted.nodes, Array.isArray(ranges) ? undefined : ranges));
  const { network, problems: ofNetwork } = checkPodNetwork(answers, wanted.cni, {
    serviceCidr: Array.isArray(ranges) ? "" : ranges.serviceCidr,
    endpoint: "why" in target ? "" : target.endpoint,
  });
  const { kubeProxy, problems: ofKubeProxy } = checkKubeProxy(answers);
  const sets = checkDaemonSets(answers);
  problems.push(...ofNetwork, ...ofKubeProxy, ...sets.problems);
  problems.push(...checkRights(answers, inExisting.get(network.kind)?.rights ?? []));
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

/** Whether kube-proxy for Windows is installed by this stack, or is there already and left alone. */
function checkKubeProxy(answers: ClusterAnswers): {
  readonly kubeProxy: "install" | "there";
  readonly problems: readonly ClusterProblem[];
} {
  const theirs = (found<V1DaemonSetList>(answers, "daemonSets")?.items ?? []).some(
    ({ metadata, spec }) =>
      /kube-proxy/.test(metadata?.name ?? "") &&
      spec?.template.spec?.nodeSelector?.["kubernetes.io/os"] === "windows" &&
      metadata?.annotations?.[ownMark] !== "kindows",
  );
  if (theirs) {
    return { kubeProxy: "there", problems: [] };
  }
  const config = found<V1ConfigMap>(answers, "kubeProxyConfig")?.data?.["kubeconfig.conf"];
  return {
    kubeProxy: "install",
    problems:
      config === undefined
        ? [
            {
              subject: "ConfigMap kube-system/kube-proxy",
              why: "does not exist or has no kubeconfig.conf, with which kube-proxy on Windows nodes reaches the API server",
              instead:
                "Install kube-proxy as kubeadm does (kubeadm init phase addon kube-proxy), or kube-proxy for Windows yourself.",
            },
          ]
        : [],
  };
}

/** One problem that lists every right that is needed and missing. */
function checkRights({ rights }: ClusterAnswers, ofNetwork: readonly Right[]): ClusterProblem[] {
  const needed = [...rightsQuestions, ...ofNetwork].map(rightText);
  const lacking = rights
    .filter(({ right, allowed }) => !allowed && needed.includes(rightText(right)))
    .map(({ right }) => `      ${rightText(right)}`);
  return lacking.length === 0
    ? []
    : [
        {
          subject: "The kubeconfig's user",
          why: `may not, by kubectl auth can-i:\n${[...new Set(lacking)].join("\n")}\n   `,
          instead: "Have these allowed, or use another context or kubeconfig.",
        },
      ];
}

/**
 * Whether nodes of a version may join an API server.
 *
 * @param server version of the API server as it says it, e.g. `v1.36.4`.
 * @param nodes version of the nodes, e.g. `1.36.4`.
 */
function checkVersion(server: string, nodes: string): ClusterProblem[] {
  const [api, node] = [semver.coerce(server), semver.parse(nodes)];
  if (api === null || node === null) {
    const instead = "Use the kubeconfig of a Kubernetes API server.";
    return [{ subject: "The API server", why: `says the version "${server}"`, instead }];
  }
  const lag = api.minor - node.minor;
  const subject = `kindows:cluster.kubernetesVersion: "${nodes}"`;
  const range = `from ${api.major}.${Math.max(api.minor - kubeletMayLag, 0)} to ${api.major}.${api.minor}`;
  const instead = `Write one ${range}, best "${api.version}".`;
  if (lag < 0) {
    const why = `is newer than the API server, ${api.version}, which Kubernetes does not allow`;
    return [{ subject, why, instead }];
  }
  return api.major !== node.major || lag > kubeletMayLag
    ? [
        {
          subject,
          why: `is ${lag} minor versions older than the API server, ${api.version}; Kubernetes allows ${kubeletMayLag}`,
          instead,
        },
      ]
    : [];
}
