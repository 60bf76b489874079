import type { V1ConfigMap, V1DaemonSet, V1Node, V1PodSpec } from "@kubernetes/client-node";
import semver from "semver";
import { parse } from "yaml";
import type { HostProblem } from "../../../config/host-problem.ts";
import { addressNumber, contains, parseRange } from "../../../config/ipv4.ts";
import { publicKeyHash } from "../../../kubernetes/ca-cert-hash.ts";
import type { WantedPodNetwork, WindowsPodNetwork } from "../../cni/pod-network.ts";
import { inExisting, podNetworkNamed } from "../../cni/registry.ts";
import { type ClusterAnswers, found, foundItems } from "./cluster-answers.ts";
import { type Right, joiningRights, rightText } from "./rights.ts";

/** How many minor versions a kubelet may be older than the API server: Kubernetes' version skew policy. */
const kubeletMayLag = 3;

/** Annotation of every object that this program creates in a cluster. */
const ownAnnotation = "pulumi.com/patchFieldManager";

export interface WantedCluster {
  readonly kubernetesVersion: string;
  readonly endpoint?: string | undefined;
  readonly podCidr?: string | undefined;
  readonly serviceCidr?: string | undefined;
  readonly cni: WantedPodNetwork;
  readonly nodes: readonly { readonly name: string; readonly nodeIp: string }[];
}

export interface ClusterFacts {
  /** Identifies the cluster: the uid of its namespace kube-system. */
  readonly id: string;
  /** Version of its API server, without a leading `v`. */
  readonly serverVersion: string;
  readonly distribution: Distribution;
  readonly podNetwork: WindowsPodNetwork;
  readonly kubeProxy: "install" | "there";
  /** `host:port` of the API server as machines reach it. */
  readonly endpoint: string;
  /** `sha256:<hex>` of the public key of the CA in `cluster-info`, which `kubeadm join` reads. */
  readonly caCertHash: string;
  readonly podCidr: string;
  readonly serviceCidr: string;
}

type Ranges = Pick<ClusterFacts, "podCidr" | "serviceCidr">;

export type ClusterCheck = { readonly warnings: readonly string[] } & (
  { readonly facts: ClusterFacts } | { readonly problems: readonly HostProblem[] }
);

type Report = (subject: string, why: string, instead: string) => void;

export function checkCluster(answers: ClusterAnswers, wanted: WantedCluster): ClusterCheck {
  const problems: HostProblem[] = [];
  const report: Report = (subject, why, instead) => {
    problems.push({ subject, why, instead });
  };
  const server = found<{ gitVersion?: string }>(answers, "version")?.gitVersion ?? "";
  const distribution = checkDistribution(answers, server, report);
  if (distribution === undefined) {
    // Nothing else matters if machines cannot join this kind of cluster.
    checkRights(answers, [], report);
    return { problems, warnings: [] };
  }
  checkVersion(server, wanted.kubernetesVersion, report);
  const target = checkEndpoint(answers, wanted.endpoint, report);
  const ranges = checkRanges(answers, wanted, report);
  checkNodes(answers, wanted.nodes, ranges, report);
  const cluster = { serviceCidr: ranges?.serviceCidr ?? "", endpoint: target?.endpoint ?? "" };
  const podNetwork = checkPodNetwork(answers, wanted.cni, cluster, report);
  const kubeProxy = checkKubeProxy(answers, report);
  const warnings = checkDaemonSets(answers, report);
  checkRights(answers, inExisting.get(podNetwork.kind)?.rights ?? [], report);
  const id = found<{ metadata?: { uid?: string } }>(answers, "kubeSystem")?.metadata?.uid;
  if (id === undefined) {
    report(
      "Namespace kube-system",
      "cannot be read; its uid identifies the cluster",
      "Allow the kubeconfig's user to read it.",
    );
  }
  if (problems.length > 0 || !target || !ranges || id === undefined) return { problems, warnings };
  const serverVersion = server.replace(/^v/, "").replace(/[+-].*$/, "");
  const facts = { id, serverVersion, distribution, podNetwork, kubeProxy };
  return { facts: { ...facts, ...target, ...ranges }, warnings };
}

type Distribution = "kubeadm" | "kubespray";

const own = (what: string): string =>
  `Join Windows machines with ${what}; kindows joins them only to kubeadm clusters.`;

const noWindows = (name: string): string =>
  `${name} does not support Windows nodes; kindows joins them only to kubeadm clusters.`;

/**
 * Kinds of clusters that nodes do not join with kubeadm, how they are recognised (by the API server's version or API
 * groups, or the nodes' labels or operating systems), and what to do instead. Versions:
 * https://github.com/rancher/turtles/pull/349 (`v1.26.12-eks-5e0fdde`, `-gke.`).
 */
const foreign: readonly (readonly [
  name: string,
  by: "version" | "labels" | "groups" | "systems",
  pattern: RegExp,
  instead: string,
])[] = [
  ["RKE2", "version", /\+rke2/, own("RKE2's own agent for Windows")],
  ["k3s", "version", /\+k3s/, noWindows("k3s")],
  ["k0s", "version", /\+k0s/, own("k0s's own worker for Windows")],
  ["EKS", "version", /-eks-/, own("one of EKS's own node groups")],
  ["GKE", "version", /-gke\./, own("one of GKE's own node pools")],
  ["AKS", "labels", /^kubernetes\.azure\.com\/cluster$/, own("one of AKS's own node pools")],
  ["OpenShift", "groups", /^config\.openshift\.io$/, own("its Windows Machine Config Operator")],
  ["MicroK8s", "labels", /^microk8s\.io\/cluster$/, own("Calico's own installer for MicroK8s")],
  ["Talos", "systems", /^Talos/, noWindows("Talos")],
];

interface KubeadmSettings {
  readonly certificatesDir?: string;
  readonly networking?: { readonly podSubnet?: string; readonly serviceSubnet?: string };
}

/** kubeadm's settings in the cluster; undefined if it has none, or if they cannot be read. */
function kubeadmSettings(answers: ClusterAnswers): KubeadmSettings | undefined {
  const text = found<V1ConfigMap>(answers, "kubeadmConfig")?.data?.["ClusterConfiguration"];
  return text === undefined ? undefined : ((parse(text) as KubeadmSettings | null) ?? undefined);
}

/** The API server's error, as the end of a sentence; empty if there was none. */
function refusal({ answers }: ClusterAnswers, question: "kubeadmConfig" | "clusterInfo"): string {
  const answer = answers[question];
  return "refusal" in answer ? `: ${answer.refusal}` : "";
}

/** Undefined if machines cannot join this kind of cluster with kubeadm. */
function checkDistribution(
  answers: ClusterAnswers,
  version: string,
  report: Report,
): Distribution | undefined {
  const nodes = foundItems<V1Node>(answers, "nodes");
  const groups = found<{ groups?: { name: string }[] }>(answers, "groups")?.groups ?? [];
  const values = {
    version: [version],
    labels: nodes.flatMap((node) => Object.keys(node.metadata?.labels ?? {})),
    groups: groups.map(({ name }) => name),
    systems: nodes.map((node) => node.status?.nodeInfo?.osImage ?? ""),
  };
  const other = foreign.find(([, by, pattern]) => values[by].some((each) => pattern.test(each)));
  if (other !== undefined) {
    const [name, , , instead] = other;
    report(
      "The cluster",
      `is recognised as ${name}, whose nodes do not join with kubeadm`,
      instead,
    );
    return undefined;
  }
  const settings = kubeadmSettings(answers);
  if (settings === undefined) {
    report(
      "ConfigMap kube-system/kubeadm-config",
      `cannot be read${refusal(answers, "kubeadmConfig")}; every cluster made by kubeadm has it`,
      "Use a cluster that kubeadm or kubespray has made, and a user who may read it.",
    );
    return undefined;
  }
  // kubespray keeps the certificates there (https://github.com/kubernetes-sigs/kubespray/issues/11403), kubeadm by
  // default in /etc/kubernetes/pki. A kubespray cluster with another folder counts as kubeadm's, which does not affect
  // a join.
  return settings.certificatesDir === "/etc/kubernetes/ssl" ? "kubespray" : "kubeadm";
}

function checkVersion(server: string, nodes: string, report: Report): void {
  const [api, node] = [semver.coerce(server), semver.parse(nodes)];
  if (api === null || node === null) {
    const instead = "Use the kubeconfig of a Kubernetes API server.";
    report("The API server", `reports the version "${server}"`, instead);
    return;
  }
  const lag = api.minor - node.minor;
  const subject = `kindows:cluster.kubernetesVersion: "${nodes}"`;
  const range = `from ${api.major}.${Math.max(api.minor - kubeletMayLag, 0)} to ${api.major}.${api.minor}`;
  const instead = `Write one ${range}, best "${api.version}".`;
  if (lag < 0) {
    const why = `is newer than the API server, ${api.version}, which Kubernetes does not allow`;
    report(subject, why, instead);
  } else if (api.major !== node.major || lag > kubeletMayLag) {
    const why = `is ${lag} minor versions older than the API server, ${api.version}; Kubernetes allows ${kubeletMayLag}`;
    report(subject, why, instead);
  }
}

interface ClusterInfo {
  readonly clusters?: readonly {
    readonly cluster?: {
      readonly server?: string;
      readonly "certificate-authority-data"?: string;
    };
  }[];
}

/**
 * The endpoint that machines join at, from the settings or the cluster's `cluster-info`, which `kubeadm join` reads.
 */
function checkEndpoint(
  answers: ClusterAnswers,
  wanted: string | undefined,
  report: Report,
): Pick<ClusterFacts, "endpoint" | "caCertHash"> | undefined {
  const subject = "ConfigMap kube-public/cluster-info";
  const recreate = "Recreate it: kubeadm init phase bootstrap-token, on a control plane.";
  const text = found<V1ConfigMap>(answers, "clusterInfo")?.data?.["kubeconfig"];
  if (text === undefined) {
    const why = `has no kubeconfig${refusal(answers, "clusterInfo")}; kubeadm join reads it`;
    report(subject, why, recreate);
    return undefined;
  }
  const { server = "", "certificate-authority-data": authority = "" } =
    (parse(text) as ClusterInfo | null)?.clusters?.[0]?.cluster ?? {};
  let caCertHash: string;
  try {
    caCertHash = publicKeyHash(Buffer.from(authority, "base64"));
  } catch {
    report(subject, "has no certificate of the cluster's authority", recreate);
    return undefined;
  }
  if (wanted !== undefined) return { endpoint: wanted, caCertHash };
  const url = URL.canParse(server) ? new URL(server) : undefined;
  const host = url?.hostname ?? "";
  if (url === undefined || host === "localhost" || host === "[::1]" || host.startsWith("127.")) {
    report(
      subject,
      `has the API server's address "${server}", at which other machines cannot reach it`,
      "Write kindows:cluster.endpoint: HOST:PORT as the machines reach it.",
    );
    return undefined;
  }
  return { endpoint: `${host}:${url.port || "443"}`, caCertHash };
}

const keys = { podCidr: "podSubnet", serviceCidr: "serviceSubnet" } as const;

/** The cluster's ranges, from kubeadm's settings there or from the stack's, which must not contradict each other. */
function checkRanges(
  answers: ClusterAnswers,
  wanted: Partial<Record<keyof Ranges, string | undefined>>,
  report: Report,
): Ranges | undefined {
  const networking = kubeadmSettings(answers)?.networking ?? {};
  const range = (name: keyof Ranges): string | undefined => {
    const setting = `kindows:cluster.${name}`;
    // The IPv4 range of a dual-stack cluster, because kindows supports only IPv4.
    const ofCluster = networking[keys[name]]?.split(",").find((each) => !each.includes(":"));
    const value = wanted[name] ?? ofCluster;
    if (value === undefined) {
      report(
        "ConfigMap kube-system/kubeadm-config",
        `has no IPv4 range as networking.${keys[name]}`,
        `Write ${setting} as the cluster's pod network has it.`,
      );
    } else if (ofCluster !== undefined && value !== ofCluster) {
      const why = `is not what the cluster has, ${ofCluster}`;
      report(`${setting}: "${value}"`, why, "Leave it out.");
      return undefined;
    }
    return value;
  };
  const [podCidr, serviceCidr] = [range("podCidr"), range("serviceCidr")];
  return podCidr && serviceCidr ? { podCidr, serviceCidr } : undefined;
}

/**
 * Reports machines whose names or addresses conflict with existing nodes, or whose addresses are in the ranges of pods
 * or services. An existing Windows node of the same name is the machine's own from an earlier run.
 */
function checkNodes(
  answers: ClusterAnswers,
  wanted: WantedCluster["nodes"],
  ranges: Ranges | undefined,
  report: Report,
): void {
  const nodes = foundItems<V1Node>(answers, "nodes");
  for (const { name, nodeIp } of wanted) {
    const isNamed = ({ metadata }: (typeof nodes)[number]): boolean =>
      metadata?.name === name.toLowerCase();
    const system = nodes.find(isNamed)?.metadata?.labels?.["kubernetes.io/os"] ?? "windows";
    if (system !== "windows") {
      report(
        `kindows:nodes: "${name}"`,
        `is the name of a ${system} node in the cluster, which joining would replace`,
        `Give the machine another name (Rename-Computer NEW -Restart) and write that, or delete that node first.`,
      );
    }
    const subject = `kindows:nodes: the address ${nodeIp} of "${name}"`;
    const other = nodes.find(
      (node) =>
        !isNamed(node) &&
        (node.status?.addresses ?? []).some(
          ({ type, address }) => type === "InternalIP" && address === nodeIp,
        ),
    )?.metadata?.name;
    if (other !== undefined) {
      report(
        subject,
        `is also the address of the node ${other} in the cluster`,
        `Write the machine's own as address or nodeIp; if it is the same machine under another name, delete that node first (kubectl delete node ${other}).`,
      );
    }
    // Packets to an address in these ranges would be routed as if it were a pod's or a service's.
    const { podCidr = "", serviceCidr = "" } = ranges ?? {};
    for (const [whose, cidr] of Object.entries({ pods: podCidr, services: serviceCidr })) {
      const range = parseRange(cidr);
      if (range !== undefined && contains(range, addressNumber(nodeIp) ?? -1)) {
        report(
          subject,
          `is in ${cidr}, the range of the cluster's ${whose}`,
          "Give the machine an address of another network, and write that.",
        );
      }
    }
  }
}

/** Pod networks without support for Windows nodes here, by the names of their DaemonSets. */
const others: readonly (readonly [RegExp, string])[] = [
  [/^cilium$/, "Cilium, which does not support Windows nodes"],
  [/^weave-net/, "Weave Net, which no longer supports Windows nodes"],
  [/^canal/, "Canal, which does not support Windows nodes"],
  [/^kindnet/, "kind's own, which does not support Windows nodes"],
  [/^antrea-agent/, "Antrea, which kindows does not support"],
  [/^kube-router/, "kube-router, which does not support Windows nodes"],
  [
    /^calico-node$/,
    "Calico without its operator (as kubespray installs it); since Calico 3.27 only the operator installs it on Windows nodes",
  ],
];

function checkPodNetwork(
  answers: ClusterAnswers,
  wanted: WantedPodNetwork,
  cluster: { readonly serviceCidr: string; readonly endpoint: string },
  report: Report,
): WindowsPodNetwork {
  const none = { kind: "none" };
  if (wanted.kind === "none") return none;
  for (const [kind, definition] of inExisting) {
    const result = definition.check(answers, wanted, cluster);
    if (result === undefined) continue;
    if (wanted.kind === "found" || wanted.kind === kind) {
      for (const { subject, why, instead } of result.problems) report(subject, why, instead);
      return result.network;
    }
    const why = `is not what the cluster has: ${podNetworkNamed(kind)?.title ?? kind}`;
    report(`kindows:cni.kind: "${wanted.kind}"`, why, `Write ${kind}, or found.`);
    return none;
  }
  const names = foundItems<V1DaemonSet>(answers, "daemonSets").map(
    ({ metadata }) => metadata?.name ?? "",
  );
  const known = [...inExisting.values()].map(({ installedAs }) => installedAs);
  const other = others.find(([pattern]) => names.some((name) => pattern.test(name)));
  report(
    "The cluster's pod network",
    other === undefined ? "is not one that kindows knows" : `is ${other[1]}`,
    `Windows nodes can have ${known.join(", or ")}. To join them without a network for their pods write kindows:cni.kind: none.`,
  );
  return none;
}

function checkKubeProxy(answers: ClusterAnswers, report: Report): "install" | "there" {
  const theirs = foundItems<V1DaemonSet>(answers, "daemonSets").some(
    ({ metadata, spec }) =>
      /kube-proxy/.test(metadata?.name ?? "") &&
      spec?.template.spec?.nodeSelector?.["kubernetes.io/os"] === "windows" &&
      metadata?.annotations?.[ownAnnotation] !== "kindows",
  );
  if (theirs) return "there";
  const { data } = found<V1ConfigMap>(answers, "kubeProxyConfig") ?? {};
  if (data?.["kubeconfig.conf"] === undefined) {
    report(
      "ConfigMap kube-system/kube-proxy",
      "does not exist or has no kubeconfig.conf, which kube-proxy on Windows nodes needs to reach the API server",
      "Install kube-proxy as kubeadm does (kubeadm init phase addon kube-proxy), or kube-proxy for Windows yourself.",
    );
  }
  return "install";
}

/**
 * DaemonSets that a node does not work without, and that must be kept off Windows nodes because their images are for
 * Linux.
 */
const essential =
  /^(kube-proxy$|calico-node|canal|kube-flannel|kindnet|cilium|weave|nodelocaldns|node-local-dns)/;

const osLabels = ["kubernetes.io/os", "beta.kubernetes.io/os"];

/** Reports essential DaemonSets that are not kept off Windows nodes. @returns warnings about other DaemonSets */
function checkDaemonSets(answers: ClusterAnswers, report: Report): string[] {
  const warnings: string[] = [];
  const patch = `'{"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/os":"linux"}}}}}'`;
  for (const set of foundItems<V1DaemonSet>(answers, "daemonSets")) {
    if (!comesToWindows(set.spec?.template.spec)) continue;
    const { namespace = "", name = "" } = set.metadata ?? {};
    const subject = `DaemonSet ${namespace}/${name}`;
    const why = "is not kept off Windows nodes";
    if (essential.test(name)) {
      report(
        subject,
        `${why}, where its Linux image cannot run`,
        `Set its node selector: kubectl -n ${namespace} patch daemonset ${name} -p ${patch}.`,
      );
    } else {
      warnings.push(`${subject} ${why}: unless its image is for both systems, its pods fail there`);
    }
  }
  return warnings;
}

/** Whether a pod's selectors allow Windows nodes. Taints do not count, because they can be removed at any time. */
function comesToWindows(pod: V1PodSpec | undefined): boolean {
  if (pod === undefined) return false;
  const { nodeSelector = {}, affinity } = pod;
  // A selector for Windows is intended, one for Linux keeps the pod away.
  if (osLabels.some((label) => nodeSelector[label] !== undefined)) return false;
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  // A pod can run on a node that any of the terms matches.
  return (
    terms.length === 0 ||
    terms.some(
      ({ matchExpressions = [] }) => !matchExpressions.some(({ key }) => osLabels.includes(key)),
    )
  );
}

function checkRights(
  { denied }: ClusterAnswers,
  ofNetwork: readonly Right[],
  report: Report,
): void {
  const needed = [...joiningRights, ...ofNetwork].map(rightText);
  const lacking = denied.map(rightText).filter((text) => needed.includes(text));
  if (lacking.length > 0) {
    report(
      "The kubeconfig's user",
      `may not do this (checked as by kubectl auth can-i):\n${[...new Set(lacking)].map((text) => `      ${text}\n`).join("")}   `,
      "Have these rights granted, or use another context or kubeconfig.",
    );
  }
}
