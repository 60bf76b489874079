import type {
  V1DaemonSet,
  V1EndpointSlice,
  V1Node,
  V1PodSpec,
  V1Service,
} from "@kubernetes/client-node";
import semver from "semver";
import type { HostProblem } from "../../../config/host-problem.ts";
import { addressNumber, contains, parseRange } from "../../../config/ipv4.ts";
import { leastKubernetes } from "../../../host/versions.ts";
import { publicKeyHash } from "../../../host/kubernetes/ca-cert-hash.ts";
import type { ClusterForNetwork, FoundPods, WantedPodNetwork } from "../../cni/pod-network.ts";
import { inExisting, podNetworkNamed } from "../../cni/pod-networks.ts";
import { kubeProxyName } from "../../kubeproxy/kube-proxy-objects.ts";
import type { HostsEntry } from "../control-plane.ts";
import {
  apiServerAddress,
  isLoopback,
  uncoveredHost,
  unknownName,
  urlOf,
} from "./api-server-address.ts";
import { type ClusterAnswers, found, foundItems } from "./cluster-answers.ts";
import {
  type ClusterConfiguration,
  domainsOf,
  known,
  readConfiguration,
  usualDomain,
} from "./cluster-configuration.ts";
import { type Right, joiningRights, rightText } from "./rights.ts";
import type { WindowsPodNetwork } from "../../cni/windows-pod-network.ts";

/** How many minor versions a kubelet may be older than the API server: Kubernetes' version skew policy. */
const kubeletMayLag = 3;

/** Annotation of every object that this program creates in a cluster. */
const ownAnnotation = "pulumi.com/patchFieldManager";

export interface WantedCluster {
  readonly kubernetesVersion: string;
  readonly endpoint?: string | undefined;
  readonly hostsEntries?: readonly HostsEntry[] | undefined;
  readonly podCidr?: string | undefined;
  readonly serviceCidr?: string | undefined;
  readonly cni: WantedPodNetwork;
  readonly nodes: readonly {
    readonly name: string;
    readonly nodeIp: string;
    readonly kubeletArgs?: Readonly<Record<string, string>>;
  }[];
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
  /** Range of pods: the first of `podCidrs`. */
  readonly podCidr: string;
  /** IPv4 ranges that pods get their addresses from, by the pod network's own configuration if it has one. */
  readonly podCidrs: readonly string[];
  readonly serviceCidr: string;
  /** Domain of the cluster's DNS. */
  readonly dnsDomain: string;
  /** Hosts, domains and ranges that machines reach without a proxy: API servers, Linux nodes, pods and Services. */
  readonly direct: readonly string[];
  /** kubelet's arguments on Windows nodes for what the cluster's kubelet configuration has for Linux nodes only. */
  readonly kubeletArgs: Readonly<Record<string, string>>;
  /** The API server for kube-proxy on Windows nodes, unless the cluster's kubeconfig for kube-proxy already names it. */
  readonly kubeProxyServer?: string;
}

type Ranges = Pick<ClusterFacts, "podCidr" | "podCidrs" | "serviceCidr">;

export type ClusterCheck = { readonly warnings: readonly string[] } & (
  { readonly facts: ClusterFacts } | { readonly problems: readonly HostProblem[] }
);

type Report = (subject: string, why: string, instead: string) => void;

export function checkCluster(answers: ClusterAnswers, wanted: WantedCluster): ClusterCheck {
  const problems: HostProblem[] = [];
  const warnings: string[] = [];
  const report: Report = (subject, why, instead) => {
    problems.push({ subject, why, instead });
  };
  const server = found<{ gitVersion?: string }>(answers, "version")?.gitVersion ?? "";
  const configuration = readConfiguration(answers, (problem) => problems.push(problem));
  const distribution = checkDistribution(answers, configuration, server, report);
  if (distribution === undefined) {
    // Nothing else matters if machines cannot join this kind of cluster.
    checkRights(answers, [], report);
    return { problems, warnings };
  }
  checkVersion(server, wanted.kubernetesVersion, report);
  checkAnonymous(answers, report);
  const target = checkEndpoint(answers, configuration, wanted, report);
  const serviceCidr = checkRange("serviceCidr", configuration, wanted, report);
  const apiServer = apiServerAddress(answers, target?.endpoint, wanted.hostsEntries);
  const cluster = { serviceCidr: serviceCidr ?? "", apiServer };
  const { network: podNetwork, pods } = checkPodNetwork(
    ...([answers, wanted.cni, cluster, report, warnings] as const),
  );
  const podCidrs = checkPodRanges(pods, configuration, wanted, report, warnings);
  checkNodes(answers, wanted.nodes, { pods: podCidrs, services: [serviceCidr ?? ""] }, report);
  const kubeProxy = checkKubeProxy(answers, configuration, report);
  warnings.push(...checkDaemonSets(answers, report));
  const kubeletArgs = checkKubelets(answers, configuration, wanted, server, report, warnings);
  checkRights(answers, inExisting.get(podNetwork.kind)?.rights ?? [], report);
  const id = found<{ metadata?: { uid?: string } }>(answers, "kubeSystem")?.metadata?.uid;
  if (id === undefined) {
    report(
      "Namespace kube-system",
      "cannot be read; its uid identifies the cluster",
      "Allow the kubeconfig's user to read it.",
    );
  }
  const [podCidr] = podCidrs;
  if (problems.length > 0 || !target || !podCidr || !serviceCidr || id === undefined) {
    return { problems, warnings };
  }
  warnings.push(...unknownName(answers, target.endpoint, apiServer));
  warnings.push(...uncoveredHost(answers, target.endpoint));
  const serverVersion = server.replace(/^v/, "").replace(/[+-].*$/, "");
  const ranges: Ranges = { podCidr, podCidrs, serviceCidr };
  return {
    facts: {
      ...{ id, serverVersion, distribution, podNetwork, kubeProxy, ...target, ...ranges },
      dnsDomain: domainsOf(configuration)[0] ?? usualDomain,
      direct: reachedDirectly(answers, configuration, target.endpoint, ranges),
      kubeletArgs,
      ...serverOfKubeProxy(configuration, target.endpoint),
    },
    warnings,
  };
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

/** The API server's error, as the end of a sentence; empty if there was none. */
function refusal({ answers }: ClusterAnswers, question: "kubeadmConfig" | "clusterInfo"): string {
  const answer = answers[question];
  return "refusal" in answer ? `: ${answer.refusal}` : "";
}

/** Undefined if machines cannot join this kind of cluster with kubeadm. */
function checkDistribution(
  answers: ClusterAnswers,
  { kubeadm }: ClusterConfiguration,
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
  if (kubeadm === "missing") {
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
  return known(kubeadm)?.certificatesDir === "/etc/kubernetes/ssl" ? "kubespray" : "kubeadm";
}

function checkVersion(server: string, nodes: string, report: Report): void {
  const [api, node] = [semver.coerce(server), semver.parse(nodes)];
  if (api === null || node === null) {
    const instead = "Use the kubeconfig of a Kubernetes API server.";
    report("The API server", `reports the version "${server}"`, instead);
    return;
  }
  if (semver.lt(api, leastKubernetes)) {
    const why = `is Kubernetes ${api.version}; machines join with ${leastKubernetes} or newer, and Kubernetes does not allow nodes newer than the API server`;
    report("The API server", why, `Upgrade the cluster to ${leastKubernetes} or newer.`);
    return;
  }
  const lag = api.minor - node.minor;
  const subject = `kindows:cluster.kubernetesVersion: "${nodes}"`;
  const oldest = Math.max(api.minor - kubeletMayLag, semver.minor(leastKubernetes));
  const range = `from ${api.major}.${oldest} to ${api.major}.${api.minor}`;
  const instead = `Write one ${range}, best "${api.version}".`;
  if (lag < 0) {
    const why = `is newer than the API server, ${api.version}, which Kubernetes does not allow`;
    report(subject, why, instead);
  } else if (api.major !== node.major || lag > kubeletMayLag) {
    const why = `is ${lag} minor versions older than the API server, ${api.version}; Kubernetes allows ${kubeletMayLag}`;
    report(subject, why, instead);
  }
}

/**
 * The endpoint that machines join at, from the settings or the cluster's `cluster-info`, which `kubeadm join` reads.
 */
function checkEndpoint(
  answers: ClusterAnswers,
  { clusterInfo }: ClusterConfiguration,
  { endpoint: wanted }: WantedCluster,
  report: Report,
): Pick<ClusterFacts, "endpoint" | "caCertHash"> | undefined {
  const subject = "ConfigMap kube-public/cluster-info";
  const recreate = "Recreate it: kubeadm init phase bootstrap-token, on a control plane.";
  if (clusterInfo === "broken") return undefined;
  if (clusterInfo === "missing") {
    const why = `has no kubeconfig${refusal(answers, "clusterInfo")}; kubeadm join reads it`;
    report(subject, why, recreate);
    return undefined;
  }
  const { server, "certificate-authority-data": authority } =
    clusterInfo.clusters?.[0]?.cluster ?? {};
  let caCertHash: string;
  try {
    caCertHash = publicKeyHash(Buffer.from(authority ?? "", "base64"));
  } catch {
    report(subject, "has no certificate of the cluster's authority", recreate);
    return undefined;
  }
  if (wanted !== undefined) return { endpoint: wanted, caCertHash };
  const url = urlOf(server);
  const host = url?.hostname ?? "";
  const why = isLoopback(host)
    ? "at which other machines cannot reach it"
    : host.startsWith("[")
      ? "an IPv6 address, which kindows does not use"
      : url?.protocol !== "https:"
        ? "which is not https://HOST:PORT"
        : undefined;
  if (url === undefined || why !== undefined) {
    report(
      subject,
      `has the API server's address "${server ?? ""}", ${why ?? "which is none"}`,
      "Write kindows:cluster.endpoint: HOST:PORT as the machines reach it.",
    );
    return undefined;
  }
  return { endpoint: `${host}:${url.port || "443"}`, caCertHash };
}

/** The endpoint's host, if it is a name that machines have to resolve by DNS. */
export function nameToResolve(answers: ClusterAnswers, wanted: WantedCluster): string | undefined {
  const ignored = (): undefined => undefined;
  const configuration = readConfiguration(answers, ignored);
  const { endpoint = "" } = checkEndpoint(answers, configuration, wanted, ignored) ?? {};
  const [host = ""] = endpoint.split(":");
  const isWritten = (wanted.hostsEntries ?? []).some(({ name }) => name === host);
  return host === "" || isWritten || addressNumber(host) !== undefined ? undefined : host;
}

/** `kubeadm join` reads `cluster-info` without credentials, to find out whom to trust. */
function checkAnonymous({ anonymousStatus }: ClusterAnswers, report: Report): void {
  const subject = "The API server";
  const what = "to requests for cluster-info without credentials, with which kubeadm join begins";
  if (anonymousStatus === 401) {
    report(
      subject,
      `answers "unauthorized" ${what} (--anonymous-auth=false, or an AuthenticationConfiguration)`,
      "Allow anonymous requests at least for the path /api/v1/namespaces/kube-public/configmaps/cluster-info: in the file of --authentication-config, anonymous: { enabled: true, conditions: [{ path: ... }] }, or without that file --anonymous-auth=true.",
    );
  } else if (anonymousStatus === 403) {
    report(
      subject,
      `answers "forbidden" ${what}`,
      "Create the role and its binding again: kubeadm init phase bootstrap-token, on a control plane.",
    );
  }
}

function reachedDirectly(
  answers: ClusterAnswers,
  configuration: ClusterConfiguration,
  endpoint: string,
  { podCidrs, serviceCidr }: Ranges,
): readonly string[] {
  const { controlPlaneEndpoint } = known(configuration.kubeadm) ?? {};
  const hosts = [endpoint, controlPlaneEndpoint ?? ""].map((each) => each.replace(/:\d+$/, ""));
  const published = foundItems<V1EndpointSlice>(answers, "apiServers").flatMap(
    ({ addressType, endpoints }) =>
      addressType === "IPv4" ? (endpoints ?? []).flatMap(({ addresses }) => addresses) : [],
  );
  const onLinux = foundItems<V1Node>(answers, "nodes")
    .filter(({ metadata }) => metadata?.labels?.["kubernetes.io/os"] !== "windows")
    .flatMap(({ status }) => status?.addresses ?? [])
    .filter(({ type }) => type === "InternalIP")
    .map(({ address }) => address);
  return [
    ...podCidrs,
    serviceCidr,
    ...domainsOf(configuration).map((domain) => `.${domain}`),
    // In the same order in every run, because another order would be another proxy setting.
    ...[...new Set([...hosts, ...published, ...onLinux])].filter((each) => each !== "").toSorted(),
  ];
}

const keys = { podCidr: "podSubnet", serviceCidr: "serviceSubnet" } as const;

/** The IPv4 ranges of a list. A cluster has at most one of them; kindows supports only IPv4. */
function ipv4Ranges(list: string | null | undefined): readonly string[] {
  return (list ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => parseRange(each) !== undefined);
}

/** The cluster's range, from kubeadm's settings there or from the stack's, which must not contradict each other. */
function checkRange(
  name: keyof typeof keys,
  { kubeadm }: ClusterConfiguration,
  wanted: WantedCluster,
  report: Report,
): string | undefined {
  if (kubeadm === "broken") return wanted[name];
  const setting = `kindows:cluster.${name}`;
  const written = known(kubeadm)?.networking?.[keys[name]];
  const [ofCluster] = ipv4Ranges(written);
  const subject = "ConfigMap kube-system/kubeadm-config";
  if (name === "serviceCidr" && (written ?? "").split(",")[0]?.includes(":") === true) {
    const why = `has an IPv6 range first as networking.serviceSubnet, ${written ?? ""}, so that the cluster's DNS has an IPv6 address, which pods on Windows do not reach`;
    report(subject, why, "Use a cluster whose Services have IPv4 addresses first.");
    return undefined;
  }
  const value = wanted[name] ?? ofCluster;
  if (value === undefined) {
    report(
      subject,
      `has no IPv4 range as networking.${keys[name]}`,
      `Write ${setting} as the cluster's pod network has it.`,
    );
  } else if (ofCluster !== undefined && value !== ofCluster) {
    report(`${setting}: "${value}"`, `is not what the cluster has, ${ofCluster}`, "Leave it out.");
    return undefined;
  }
  return value;
}

/** The ranges of pods. What the pod network itself is configured with counts, not what kubeadm was once told. */
function checkPodRanges(
  pods: FoundPods | undefined,
  configuration: ClusterConfiguration,
  wanted: WantedCluster,
  report: Report,
  warnings: string[],
): readonly string[] {
  if (pods === undefined || pods.ranges.length === 0) {
    const range = checkRange("podCidr", configuration, wanted, report);
    return range === undefined ? [] : [range];
  }
  const { ranges, of } = pods;
  const text = ranges.join(", ");
  if (wanted.podCidr !== undefined && !ranges.includes(wanted.podCidr)) {
    const why = `is not what the cluster has, ${text} (${of})`;
    report(`kindows:cluster.podCidr: "${wanted.podCidr}"`, why, "Leave it out.");
  }
  const [ofKubeadm] = ipv4Ranges(known(configuration.kubeadm)?.networking?.podSubnet);
  const range = parseRange(ofKubeadm ?? "");
  const isInside = ranges.every((each) => {
    const one = parseRange(each);
    return !range || !one || (range.first <= one.first && one.last <= range.last);
  });
  if (!isInside) {
    warnings.push(
      `Pods get their addresses from ${text} (${of}), not from ${ofKubeadm ?? ""} as kubeadm's networking.podSubnet says; the former counts`,
    );
  }
  return ranges;
}

/**
 * Checks what all kubelets inherit from kubelet-config.
 *
 * @returns arguments for Windows nodes that replace what holds on Linux nodes only
 */
function checkKubelets(
  answers: ClusterAnswers,
  { kubelet }: ClusterConfiguration,
  { nodes, kubernetesVersion }: WantedCluster,
  server: string,
  report: Report,
  warnings: string[],
): Readonly<Record<string, string>> {
  const { clusterDNS, serverTLSBootstrap, featureGates } = known(kubelet) ?? {};
  if (serverTLSBootstrap === true) {
    warnings.push(
      "The cluster's kubelets ask for their serving certificates (serverTLSBootstrap): unless something in the cluster approves the requests of the Windows nodes, kubectl logs and exec fail there. Approve each: kubectl get csr, kubectl certificate approve NAME",
    );
  }
  const gates = Object.keys(featureGates ?? {});
  if (
    gates.length > 0 &&
    semver.coerce(server)?.minor !== semver.coerce(kubernetesVersion)?.minor
  ) {
    warnings.push(
      `ConfigMap kube-system/kubelet-config sets the feature gates ${gates.join(", ")}: a kubelet of another minor version, like ${kubernetesVersion} on the Windows nodes, does not start if it does not know them all`,
    );
  }
  const ofCluster = clusterDNS ?? [];
  // A daemon on each Linux node listens at these, e.g. node-local-dns at 169.254.25.10.
  const isOnNode = (address: string): boolean => /^(169\.254\.|127\.|fe80:|::1$)/.test(address);
  const others = ofCluster.filter((address) => !isOnNode(address));
  if (others.length === ofCluster.length) return {};
  const [service] = foundItems<V1Service>(answers, "dnsServices")
    .map(({ spec }) => spec?.clusterIP ?? "")
    .filter((address) => addressNumber(address) !== undefined)
    .toSorted((a, b) => (addressNumber(a) ?? 0) - (addressNumber(b) ?? 0));
  const servers = others.length > 0 ? others : service === undefined ? [] : [service];
  if (servers.length > 0) return { "cluster-dns": servers.join(",") };
  if (nodes.some(({ kubeletArgs }) => kubeletArgs?.["cluster-dns"] === undefined)) {
    report(
      "ConfigMap kube-system/kubelet-config",
      `has clusterDNS ${ofCluster.join(", ")}, where only Linux nodes have a DNS server, and the cluster has no Service with the label k8s-app=kube-dns whose address Windows nodes could use instead`,
      'Write the address of the cluster\'s DNS into kindows:nodes[].kubeletArgs, e.g. { cluster-dns: "10.96.0.10" }.',
    );
  }
  return {};
}

/**
 * Reports machines whose names or addresses conflict with existing nodes, or whose addresses are in the ranges of pods
 * or services. An existing Windows node of the same name is the machine's own from an earlier run.
 */
function checkNodes(
  answers: ClusterAnswers,
  wanted: WantedCluster["nodes"],
  ranges: Readonly<Record<"pods" | "services", readonly string[]>>,
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
    const all = Object.entries(ranges).flatMap(([whose, cidrs]) =>
      cidrs.map((cidr) => [whose, cidr] as const),
    );
    for (const [whose, cidr] of all) {
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
  cluster: ClusterForNetwork,
  report: Report,
  warnings: string[],
): { readonly network: WindowsPodNetwork; readonly pods?: FoundPods | undefined } {
  const none = { network: { kind: "none" } };
  for (const [kind, definition] of inExisting) {
    const result = definition.check(answers, wanted, cluster);
    if (result === undefined) continue;
    if (wanted.kind === "none") return { ...none, pods: result.pods };
    if (wanted.kind === "found" || wanted.kind === kind) {
      for (const { subject, why, instead } of result.problems) report(subject, why, instead);
      warnings.push(...(result.warnings ?? []));
      return result;
    }
    const why = `is not what the cluster has: ${podNetworkNamed(kind)?.title ?? kind}`;
    report(`kindows:cni.kind: "${wanted.kind}"`, why, `Write ${kind}, or found.`);
    return { ...none, pods: result.pods };
  }
  if (wanted.kind === "none") return none;
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

/** Nothing if kube-proxy's kubeconfig in the cluster names the endpoint itself. */
function serverOfKubeProxy(
  { kubeProxy }: ClusterConfiguration,
  endpoint: string,
): Pick<ClusterFacts, "kubeProxyServer"> {
  const url = urlOf(known(kubeProxy)?.clusters?.[0]?.cluster?.server);
  const isSame = url !== undefined && `${url.hostname}:${url.port || "443"}` === endpoint;
  return isSame ? {} : { kubeProxyServer: `https://${endpoint}` };
}

function checkKubeProxy(
  answers: ClusterAnswers,
  { kubeProxy }: ClusterConfiguration,
  report: Report,
): "install" | "there" {
  const theirs = foundItems<V1DaemonSet>(answers, "daemonSets").some(
    (set) =>
      set.metadata?.annotations?.[ownAnnotation] !== "kindows" &&
      (isOurName(set) || (runsKubeProxy(set) && isForWindows(set.spec?.template.spec))),
  );
  if (theirs) return "there";
  if (kubeProxy === "missing") {
    report(
      "ConfigMap kube-system/kube-proxy",
      "does not exist or has no kubeconfig.conf, which kube-proxy on Windows nodes needs to reach the API server",
      "Install kube-proxy as kubeadm does (kubeadm init phase addon kube-proxy), or kube-proxy for Windows yourself.",
    );
  }
  return "install";
}

/** Whether it has the name that ours would have: it would be changed and not made. */
function isOurName({ metadata }: V1DaemonSet): boolean {
  return metadata?.namespace === kubeProxyName.namespace && metadata.name === kubeProxyName.name;
}

/** By its own name, or what its containers are and run. */
function runsKubeProxy({ metadata, spec }: V1DaemonSet): boolean {
  const containers = spec?.template.spec?.containers ?? [];
  return [
    metadata?.name ?? "",
    ...containers.flatMap(({ name, image, command = [], args = [] }) => [
      ...[name, image ?? "", ...command, ...args],
    ]),
  ].some((each) => /kube-proxy/.test(each));
}

/** Whether a pod only comes to Windows nodes, by a selector or an affinity. */
function isForWindows(pod: V1PodSpec | undefined): boolean {
  const { nodeSelector = {}, affinity, os } = pod ?? {};
  const selected = osLabels.flatMap((label) => nodeSelector[label] ?? []);
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return (
    os?.name === "windows" ||
    selected.includes("windows") ||
    "node.kubernetes.io/windows-build" in nodeSelector ||
    (terms.length > 0 &&
      terms.every(({ matchExpressions = [] }) =>
        matchExpressions.some(
          ({ key, operator, values = [] }) =>
            osLabels.includes(key) && operator === "In" && values.join() === "windows",
        ),
      ))
  );
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
