import type { V1ConfigMap, V1DaemonSet, V1DaemonSetList, V1PodSpec } from "@kubernetes/client-node";
import semver from "semver";
import type { FoundPodNetwork, WantedPodNetwork } from "../../cni/pod-network.ts";
import { inExisting, podNetworkNamed } from "../../cni/registry.ts";
import { type ClusterAnswers, found } from "./cluster-answers.ts";
import type { ClusterProblem } from "./cluster-problem.ts";
import { checkDistribution, type Distribution, kubeadmSettings } from "./check-distribution.ts";
import { checkEndpoint, type JoinTarget } from "./check-endpoint.ts";
import { checkNodes, type WantedNode } from "./check-nodes.ts";
import { type Right, rightsQuestions, rightText } from "./rights.ts";

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
  if (theirs) return { kubeProxy: "there", problems: [] };
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

/** DaemonSets that must not come to Windows nodes: they are Linux programs without which a node does not work. */
const essential =
  /^(kube-proxy$|calico-node|canal|kube-flannel|kindnet|cilium|weave|nodelocaldns|node-local-dns)/;

const osLabels = ["kubernetes.io/os", "beta.kubernetes.io/os"];

/** DaemonSets that would come to a Windows node and do not work there. */
interface StrayDaemonSets {
  /** Such as would keep it from working. */
  readonly problems: readonly ClusterProblem[];
  /** The others, one line each. */
  readonly warnings: readonly string[];
}

/** The cluster's DaemonSets, kept off Windows nodes or not. */
function checkDaemonSets(answers: ClusterAnswers): StrayDaemonSets {
  const stray = (found<V1DaemonSetList>(answers, "daemonSets")?.items ?? []).filter(
    ({ spec }) => spec?.template.spec !== undefined && comesToWindows(spec.template.spec),
  );
  const patch = `'{"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/os":"linux"}}}}}'`;
  return {
    problems: stray.filter(isEssential).map(({ metadata = {} }) => ({
      subject: `DaemonSet ${metadata.namespace ?? ""}/${metadata.name ?? ""}`,
      why: "is not kept off Windows nodes, where its Linux image would fail for ever",
      instead: `Set its node selector: kubectl -n ${metadata.namespace ?? ""} patch daemonset ${metadata.name ?? ""} -p ${patch}.`,
    })),
    warnings: stray
      .filter((set) => !isEssential(set))
      .map(
        ({ metadata = {} }) =>
          `DaemonSet ${metadata.namespace ?? ""}/${metadata.name ?? ""} is not kept off Windows nodes: unless its image is for both systems, its pods fail there`,
      ),
  };
}

function isEssential({ metadata }: V1DaemonSet): boolean {
  return essential.test(metadata?.name ?? "");
}

/** Whether nothing in a pod's selectors speaks against a Windows node. Taints do not count: who removes them asks nobody. */
function comesToWindows({ nodeSelector = {}, affinity }: V1PodSpec): boolean {
  const selected = osLabels.map((label) => nodeSelector[label]).find((os) => os !== undefined);
  if (selected !== undefined) {
    // One that is made for Windows comes there on purpose.
    return false;
  }
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  // A pod comes where any of the terms fits.
  return (
    terms.length === 0 ||
    terms.some(
      ({ matchExpressions = [] }) => !matchExpressions.some(({ key }) => osLabels.includes(key)),
    )
  );
}

/** Pod networks that are recognised and have no part for Windows nodes here, by their DaemonSets. */
const others: readonly (readonly [RegExp, string])[] = [
  [/^cilium$/, "Cilium, which has no Windows nodes"],
  [/^weave-net/, "Weave Net, which has no Windows nodes any more"],
  [/^canal/, "Canal, which has no Windows nodes"],
  [/^kindnet/, "kind's own, which has no Windows nodes"],
  [/^antrea-agent/, "Antrea, which is not supported here"],
  [/^kube-router/, "kube-router, which has no Windows nodes"],
  [
    /^calico-node$/,
    "Calico without its operator, which alone installs it on Windows nodes (since Calico 3.27); kubespray installs it so",
  ],
];

/** Which pod network the cluster has and whether Windows nodes can have it. */
function checkPodNetwork(
  answers: ClusterAnswers,
  wanted: WantedPodNetwork,
  cluster: { readonly serviceCidr: string; readonly endpoint: string },
): { readonly network: FoundPodNetwork; readonly problems: readonly ClusterProblem[] } {
  const none = { kind: "none" };
  if (wanted.kind === "none") return { network: none, problems: [] };
  for (const [kind, network] of inExisting) {
    const result = network.check(answers, wanted, cluster);
    if (result === undefined) continue;
    if (wanted.kind === "found" || wanted.kind === kind) return result;
    const subject = `kindows:cni.kind: "${wanted.kind}"`;
    const why = `is not what the cluster has: ${podNetworkNamed(kind)?.title ?? kind}`;
    return { network: none, problems: [{ subject, why, instead: `Write ${kind}, or found.` }] };
  }
  return { network: none, problems: [unfit(answers)] };
}

function unfit(answers: ClusterAnswers): ClusterProblem {
  const names = (found<V1DaemonSetList>(answers, "daemonSets")?.items ?? []).map(
    ({ metadata }) => metadata?.name ?? "",
  );
  const known = [...inExisting.values()].map(({ installedAs }) => installedAs);
  const other = others.find(([pattern]) => names.some((name) => pattern.test(name)));
  return {
    subject: "The cluster's pod network",
    why: other === undefined ? "is none that is known here" : `is ${other[1]}`,
    instead: `Windows nodes get ${known.join(", or ")}. To join them without a network for their pods write kindows:cni.kind: none.`,
  };
}

/** IPv4 ranges of the cluster, in CIDR form. */
export interface Ranges {
  readonly podCidr: string;
  readonly serviceCidr: string;
}

const keys = { podCidr: "podSubnet", serviceCidr: "serviceSubnet" } as const;

/** The cluster's ranges by kubeadm's settings, which those of the stack must not contradict. */
function checkRanges(
  answers: ClusterAnswers,
  wanted: Partial<Record<keyof Ranges, string | undefined>>,
): Ranges | ClusterProblem[] {
  const networking = kubeadmSettings(answers)?.networking ?? {};
  const problems: ClusterProblem[] = [];
  const range = (name: keyof Ranges): string => {
    const setting = `kindows:cluster.${name}`;
    // Of two families the IPv4 one: Windows nodes have no other here.
    const ofCluster = networking[keys[name]]?.split(",").find((one) => !one.includes(":"));
    const value = wanted[name];
    if (value !== undefined && ofCluster !== undefined && value !== ofCluster) {
      const why = `is not what the cluster has, ${ofCluster}`;
      problems.push({ subject: `${setting}: "${value}"`, why, instead: "Leave it out." });
    }
    if (value === undefined && ofCluster === undefined) {
      problems.push({
        subject: "ConfigMap kube-system/kubeadm-config",
        why: `has no IPv4 range as networking.${keys[name]}`,
        instead: `Write ${setting} as the cluster's pod network has it.`,
      });
    }
    return value ?? ofCluster ?? "";
  };
  const ranges = { podCidr: range("podCidr"), serviceCidr: range("serviceCidr") };
  return problems.length > 0 ? problems : ranges;
}
