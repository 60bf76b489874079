import type { V1ConfigMap, V1Deployment } from "@kubernetes/client-node";
import semver from "semver";
import type { DaemonSetName } from "../../../host/kubernetes/daemon-set.ts";
import type { HostProblem } from "../../../config/host-problem.ts";
import { addressNumber, contains, type Ipv4Range, parseRange } from "../../../config/ipv4.ts";
import { unless } from "../../../config/problem.ts";
import { isLoopback } from "../../controlplane/existing/api-server-address.ts";
import {
  found,
  foundItems,
  isAway,
  type ClusterAnswers,
} from "../../controlplane/existing/cluster-answers.ts";
import type { ClusterForNetwork, HnsNetwork, PodNetworkInExisting } from "../pod-network.ts";
import { leastVersions } from "../../../host/versions.ts";
import { limitProblems } from "./windows-limits.ts";
import type { WindowsPodNetwork } from "../windows-pod-network.ts";

/** Fields that an object of the cluster must have for Windows nodes. */
interface ClusterChange {
  /** Display name, e.g. `Installation default`. */
  readonly object: string;
  readonly path: string;
  /** The object with only these fields, for server-side apply. */
  readonly fields: Record<string, unknown>;
  readonly done: boolean;
  /** What is wrong, as the rest of a sentence that starts with `object`. */
  readonly why: string;
  /** A kubectl command that makes the change. */
  readonly command: string;
}

/** Calico in an existing cluster, and the changes that it needs; none if the settings do not allow changes. */
export interface FoundCalico extends WindowsPodNetwork {
  readonly changes: readonly ClusterChange[];
}

/**
 * The DaemonSet that the operator makes for Windows nodes (tigera/operator, pkg/render/windows.go). Its TigeraStatus
 * `calico-windows` is no sign: it says Available before the first Windows node exists, and goes on saying so while the
 * pods of a new node start.
 */
export const calicoOnWindows: DaemonSetName = {
  namespace: "calico-system",
  name: "calico-node-windows",
};

export const calicoHnsNetwork: HnsNetwork = { name: "Calico", endpoint: "Calico_ep" };

const foundCalico = (changes: readonly ClusterChange[]): FoundCalico => ({
  kind: "calico",
  changes,
});

export const existingCalico: PodNetworkInExisting = {
  installedAs: "Calico by its operator",
  questions: {
    installation: "/apis/operator.tigera.io/v1/installations/default",
    // Calico's resources in its own API, and as older releases store them.
    ipPools: "/apis/projectcalico.org/v3/ippools",
    ipamConfig: "/apis/projectcalico.org/v3/ipamconfigurations/default",
    felixConfig: "/apis/projectcalico.org/v3/felixconfigurations/default",
    storedIpPools: "/apis/crd.projectcalico.org/v1/ippools",
    storedIpamConfig: "/apis/crd.projectcalico.org/v1/ipamconfigs/default",
    storedFelixConfig: "/apis/crd.projectcalico.org/v1/felixconfigurations/default",
    // The operator reads this ConfigMap in its own namespace, which its chart lets users choose.
    operators: "/apis/apps/v1/deployments?labelSelector=k8s-app%3Dtigera-operator",
    servicesEndpoint: "/api/v1/namespaces/tigera-operator/configmaps/kubernetes-services-endpoint",
    servicesEndpoints:
      "/api/v1/configmaps?fieldSelector=metadata.name%3Dkubernetes-services-endpoint",
  },
  rights: [],
  checks: [],
  assumed: foundCalico([]),
  check(answers, { mayChange }, cluster) {
    const installation = found<Installation>(answers, "installation");
    if (installation === undefined) return undefined;
    const pools = podPools(answers);
    const pods = pools && {
      ranges: pools.flatMap(({ spec }) => spec?.cidr ?? []),
      of: `Calico's ${pools.length === 1 ? "IPPool" : "IPPools"} ${pools.map(nameOf).join(", ")}`,
    };
    const tooOld = versionProblems(installation);
    // A release without Windows drops the fields of all changes.
    if (tooOld.length > 0) return { network: foundCalico([]), problems: tooOld, pods };
    const changes = wantedChanges(answers, cluster);
    const undone = mayChange ? [] : changes.filter(({ done }) => !done);
    const felix = setting<{ readonly spec?: object }>(answers, "felixConfig", "storedFelixConfig");
    return {
      network: foundCalico(mayChange ? changes : []),
      pods,
      problems: [
        ...poolsProblems(pools, installation),
        ...limitProblems("FelixConfiguration", felix?.spec),
        ...limitProblems("Installation", installation.spec),
        ...endpointProblems(answers, cluster),
        ...undone.map(({ object, why, command }) => ({
          subject: object,
          why,
          instead: `Set it: ${command}\n    Or write kindows:cni.mayChange: true, and see in a preview what is set.`,
        })),
      ],
    };
  },
  hnsNetwork: () => calicoHnsNetwork,
  windowsDaemonSet: calicoOnWindows,
};

interface Installation {
  readonly spec?: {
    readonly serviceCIDRs?: readonly string[];
    readonly calicoNetwork?: { readonly bgp?: string; readonly windowsDataplane?: string };
  };
  readonly status?: { readonly variant?: string; readonly calicoVersion?: string };
}

interface IpPool {
  readonly metadata?: { readonly name?: string };
  readonly spec?: Readonly<Record<"cidr" | "vxlanMode" | "ipipMode", string | undefined>> & {
    readonly disabled?: boolean;
    readonly allowedUses?: readonly string[];
  };
}

const nameOf = ({ metadata }: IpPool): string => metadata?.name ?? "";

function setting<T>(answers: ClusterAnswers, name: string, stored: string): T | undefined {
  return found<T>(answers, name) ?? found<T>(answers, stored);
}

/** Enabled IPv4 pools whose addresses pods get, and not only tunnels or load balancers; undefined if not readable. */
function podPools(answers: ClusterAnswers): readonly IpPool[] | undefined {
  return setting<{ readonly items?: readonly IpPool[] }>(
    ...([answers, "ipPools", "storedIpPools"] as const),
  )?.items?.filter(
    ({ spec }) =>
      spec?.disabled !== true &&
      spec?.cidr?.includes(":") !== true &&
      (spec?.allowedUses ?? ["Workload"]).includes("Workload"),
  );
}

/** The version of the operator's last finished rollout. Calico Enterprise counts its own. */
function versionProblems({ status }: Installation): HostProblem[] {
  const { variant = "Calico", calicoVersion = "" } = status ?? {};
  const version = semver.parse(calicoVersion);
  return unless(
    variant !== "Calico" || version === null || semver.gte(version, leastVersions.calico),
    {
      subject: "Installation default",
      why: `is of Calico ${calicoVersion}, whose operator does not install it on Windows nodes; ${leastVersions.calico} is the first that does`,
      instead: `Upgrade Calico and its operator to ${leastVersions.calico} or newer.`,
    },
  );
}

interface ServicesEndpoint {
  /** Where the operator reads it. */
  readonly namespace: string;
  readonly host: string | undefined;
  readonly port: string | undefined;
}

/** The ConfigMap with the API server's address, in the namespace of the operator. */
function servicesEndpoint(answers: ClusterAnswers): ServicesEndpoint {
  const [operator] = foundItems<V1Deployment>(answers, "operators");
  const { namespace = "tigera-operator" } = operator?.metadata ?? {};
  const usual = found<V1ConfigMap>(answers, "servicesEndpoint");
  const own = foundItems<V1ConfigMap>(answers, "servicesEndpoints").find(
    ({ metadata }) => metadata?.namespace === namespace,
  );
  const { data } = own ?? (namespace === "tigera-operator" ? usual : undefined) ?? {};
  return {
    namespace,
    host: data?.["KUBERNETES_SERVICE_HOST"],
    port: data?.["KUBERNETES_SERVICE_PORT"],
  };
}

/** Calico's pods on Windows ask the API server before kube-proxy and DNS are there, and have no proxy of Linux nodes. */
function endpointProblems(
  answers: ClusterAnswers,
  { serviceCidr, apiServer }: ClusterForNetwork,
): HostProblem[] {
  const { namespace, host, port } = servicesEndpoint(answers);
  const services = parseRange(serviceCidr);
  const isService = services && contains(services, addressNumber(host ?? "") ?? -1);
  const why =
    host === undefined
      ? undefined
      : isService === true
        ? "which is the address of a Service: kube-proxy on Windows nodes provides it only once Calico runs there"
        : isLoopback(host)
          ? "where only Linux nodes have a proxy to the API server"
          : undefined;
  if (host === undefined && !apiServer.isAddress) {
    return [
      {
        subject: "The API server's address",
        why: "is not known, and Calico's pods cannot use a name, which they would ask the cluster's DNS for before it runs",
        instead: `Write the address of ${apiServer.host || "the API server"} into kindows:cluster.hostsEntries.`,
      },
    ];
  }
  const wanted = JSON.stringify({ data: variables(apiServer) });
  return unless(why === undefined, {
    subject: `ConfigMap ${namespace}/kubernetes-services-endpoint`,
    why: `has the API server at ${host ?? ""}:${port ?? ""}, ${why ?? ""}`,
    instead: `Set an address that all nodes reach: kubectl -n ${namespace} patch configmap kubernetes-services-endpoint -p '${wanted}'. Calico's pods on all nodes restart with it.`,
  });
}

function variables({ host, port }: ClusterForNetwork["apiServer"]): Record<string, string> {
  return { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port };
}

/** Changes that do not disconnect pods, in the order in which Calico's operator requires them. */
function wantedChanges(
  answers: ClusterAnswers,
  { serviceCidr, apiServer }: ClusterForNetwork,
): ClusterChange[] {
  const { spec } = found<Installation>(answers, "installation") ?? {};
  const { host, port } = apiServer;
  const dataplane = spec?.calicoNetwork?.windowsDataplane ?? "Disabled";
  const serviceRanges = spec?.serviceCIDRs ?? [];
  const known = servicesEndpoint(answers);
  const { namespace } = known;
  const services = parseRange(serviceCidr);
  const hasServices =
    services === undefined
      ? serviceRanges.length > 0
      : serviceRanges.some((each) => holds(each, services));
  // What is changed must not depend on whether Calico's API answers at present.
  const v3 = found(answers, "ipamConfig") !== undefined || isAway(answers, "ipamConfig");
  const ipam = setting<{ readonly spec?: { readonly strictAffinity?: boolean } }>(
    ...([answers, "ipamConfig", "storedIpamConfig"] as const),
  );
  const operator = "operator.tigera.io/v1";
  const forWindows = {
    serviceCIDRs: hasServices
      ? serviceRanges
      : [serviceCidr, ...serviceRanges.filter((each) => each.includes(":"))],
    calicoNetwork: { windowsDataplane: "HNS" },
  };
  const endpoint: ClusterChange[] = [
    {
      object: `ConfigMap ${namespace}/kubernetes-services-endpoint`,
      path: `/api/v1/namespaces/${namespace}/configmaps/kubernetes-services-endpoint`,
      fields: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "kubernetes-services-endpoint", namespace },
        data: variables({ ...apiServer, host: known.host ?? host, port: known.port ?? port }),
      },
      done: known.host !== undefined && known.port !== undefined,
      why: "does not say where the API server is, which Calico on Windows needs",
      command: `kubectl -n ${namespace} create configmap kubernetes-services-endpoint --from-literal=KUBERNETES_SERVICE_HOST=${host} --from-literal=KUBERNETES_SERVICE_PORT=${port}`,
    },
  ];
  return [
    // First, because the operator refuses an Installation for Windows without it. Without an address, what is asked for
    // is the address.
    ...(known.host === undefined && !apiServer.isAddress ? [] : endpoint),
    {
      object: "Installation default",
      path: existingCalico.questions["installation"] ?? "",
      fields: {
        apiVersion: operator,
        kind: "Installation",
        metadata: { name: "default" },
        spec: forWindows,
      },
      done: dataplane === "HNS" && hasServices,
      why: `has spec.calicoNetwork.windowsDataplane ${dataplane} and spec.serviceCIDRs ${JSON.stringify(serviceRanges)}; Windows nodes need HNS and the range of the services`,
      command: `kubectl patch installation default --type merge -p '${JSON.stringify({ spec: forWindows })}'`,
    },
    {
      object: "IPAMConfiguration default",
      path: existingCalico.questions[v3 ? "ipamConfig" : "storedIpamConfig"] ?? "",
      fields: {
        apiVersion: v3 ? "projectcalico.org/v3" : "crd.projectcalico.org/v1",
        kind: v3 ? "IPAMConfiguration" : "IPAMConfig",
        metadata: { name: "default" },
        spec: { strictAffinity: true },
      },
      done: ipam?.spec?.strictAffinity === true,
      why: "does not set spec.strictAffinity to true, so nodes may use addresses of each other's blocks, which Windows nodes cannot",
      command: `kubectl patch ${v3 ? "ipamconfigurations.projectcalico.org" : "ipamconfigs.crd.projectcalico.org"} default --type merge -p '{"spec":{"strictAffinity":true}}'`,
    },
  ];
}

/** Whether a range in CIDR form contains another one whole. */
function holds(cidr: string, inner: Ipv4Range): boolean {
  const range = parseRange(cidr);
  return range !== undefined && range.first <= inner.first && inner.last <= range.last;
}

/** Problems that are only reported, because solving them would disconnect the pods of all nodes. */
function poolsProblems(
  pools: readonly IpPool[] | undefined,
  { spec }: Installation,
): HostProblem[] {
  const { bgp = "Enabled" } = spec?.calicoNetwork ?? {};
  if (pools === undefined || pools.length === 0) {
    const why = "cannot be read, or none of them is enabled";
    const instead = "Allow the kubeconfig's user to read them.";
    return [{ subject: "Calico's IPPools", why, instead }];
  }
  const vxlan = pools.filter(({ spec }) => spec?.vxlanMode === "Always");
  return [
    ...pools.flatMap((pool) => poolProblems(pool, bgp)),
    ...unless(vxlan.length <= 1, {
      subject: `IPPools ${vxlan.map(({ metadata }) => metadata?.name ?? "").join(", ")}`,
      why: "all have VXLAN; Calico on Windows supports only one such pool",
      instead: "Disable all but one.",
    }),
  ];
}

/**
 * Windows nodes support VXLAN everywhere, or no encapsulation with BGP; neither IPIP nor VXLAN only between subnets.
 */
function poolProblems({ metadata, spec }: IpPool, bgp: string): HostProblem[] {
  const [vxlan, ipip] = [spec?.vxlanMode ?? "Never", spec?.ipipMode ?? "Never"];
  const problem = (why: string, wanted: string): HostProblem[] => {
    const danger = "it reroutes the packets of every pod, so kindows does not do it";
    const subject = `IPPool ${metadata?.name ?? ""}`;
    return [{ subject, why, instead: `Set ${wanted} yourself: ${danger}.` }];
  };
  if (ipip !== "Never" || vxlan === "CrossSubnet") {
    const why = `has ipipMode ${ipip} and vxlanMode ${vxlan}; Windows nodes support only VXLAN with vxlanMode Always, or no encapsulation with BGP`;
    return problem(why, "VXLAN with vxlanMode Always");
  }
  if (vxlan === "Never" && bgp !== "Enabled") {
    return problem(
      "has no encapsulation and the Installation has no BGP, so there are no routes to other nodes",
      "vxlanMode Always",
    );
  }
  if (vxlan === "Always" && bgp === "Enabled") {
    return problem(
      "has VXLAN while the Installation has BGP; Calico does not support both together on Windows",
      "spec.calicoNetwork.bgp of the Installation to Disabled",
    );
  }
  return [];
}
