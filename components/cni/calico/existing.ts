import type { V1ConfigMap } from "@kubernetes/client-node";
import type { DaemonSetName } from "../../../kubernetes/daemon-set.ts";
import type { HostProblem } from "../../../config/host-problem.ts";
import { unless } from "../../../config/problem.ts";
import { found, type ClusterAnswers } from "../../controlplane/existing/cluster-answers.ts";
import type { HnsNetwork, PodNetworkInExisting, WindowsPodNetwork } from "../pod-network.ts";

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
    servicesEndpoint: "/api/v1/namespaces/tigera-operator/configmaps/kubernetes-services-endpoint",
  },
  rights: [],
  checks: [],
  assumed: foundCalico([]),
  check(answers, { mayChange }, { serviceCidr, endpoint }) {
    if (found(answers, "installation") === undefined) return undefined;
    const changes = wantedChanges(answers, serviceCidr, endpoint);
    const undone = mayChange ? [] : changes.filter(({ done }) => !done);
    return {
      network: foundCalico(mayChange ? changes : []),
      problems: [
        ...poolsProblems(answers),
        ...vniProblems(answers),
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
}

interface IpPool {
  readonly metadata?: { readonly name?: string };
  readonly spec?: Readonly<Record<"cidr" | "vxlanMode" | "ipipMode", string | undefined>> & {
    readonly disabled?: boolean;
  };
}

function setting<T>(answers: ClusterAnswers, name: string, stored: string): T | undefined {
  return found<T>(answers, name) ?? found<T>(answers, stored);
}

/** Smallest VNI that Windows supports (Calico, felix/dataplane/windows). */
const smallestVni = 4096;

/**
 * Changes that do not affect existing nodes, in the order in which Calico's operator requires them.
 *
 * @param endpoint `host:port` of the API server as nodes see it, which Calico on Windows reads from a ConfigMap.
 */
function wantedChanges(
  answers: ClusterAnswers,
  serviceCidr: string,
  endpoint: string,
): ClusterChange[] {
  const { spec } = found<Installation>(answers, "installation") ?? {};
  const [host = "", port = ""] = endpoint.split(":");
  const dataplane = spec?.calicoNetwork?.windowsDataplane ?? "Disabled";
  const serviceRanges = spec?.serviceCIDRs ?? [];
  const variables = found<V1ConfigMap>(answers, "servicesEndpoint")?.data;
  const [knownHost, knownPort] = [
    variables?.["KUBERNETES_SERVICE_HOST"],
    variables?.["KUBERNETES_SERVICE_PORT"],
  ];
  const v3 = found(answers, "ipamConfig") !== undefined;
  const ipam = setting<{ readonly spec?: { readonly strictAffinity?: boolean } }>(
    ...([answers, "ipamConfig", "storedIpamConfig"] as const),
  );
  const operator = "operator.tigera.io/v1";
  const forWindows = {
    serviceCIDRs: serviceRanges.length > 0 ? serviceRanges : [serviceCidr],
    calicoNetwork: { windowsDataplane: "HNS" },
  };
  return [
    // First, because the operator refuses an Installation for Windows without it.
    {
      object: "ConfigMap tigera-operator/kubernetes-services-endpoint",
      path: existingCalico.questions["servicesEndpoint"] ?? "",
      fields: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "kubernetes-services-endpoint", namespace: "tigera-operator" },
        data: {
          KUBERNETES_SERVICE_HOST: knownHost ?? host,
          KUBERNETES_SERVICE_PORT: knownPort ?? port,
        },
      },
      done: knownHost !== undefined && knownPort !== undefined,
      why: "does not say where the API server is, which Calico on Windows needs",
      command: `kubectl -n tigera-operator create configmap kubernetes-services-endpoint --from-literal=KUBERNETES_SERVICE_HOST=${host} --from-literal=KUBERNETES_SERVICE_PORT=${port}`,
    },
    {
      object: "Installation default",
      path: existingCalico.questions["installation"] ?? "",
      fields: {
        apiVersion: operator,
        kind: "Installation",
        metadata: { name: "default" },
        spec: forWindows,
      },
      done: dataplane === "HNS" && serviceRanges.length > 0,
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

/** Problems that are only reported, because solving them would disconnect the pods of all nodes. */
function poolsProblems(answers: ClusterAnswers): HostProblem[] {
  const { bgp = "Enabled" } =
    found<Installation>(answers, "installation")?.spec?.calicoNetwork ?? {};
  const pools = setting<{ readonly items?: readonly IpPool[] }>(
    ...([answers, "ipPools", "storedIpPools"] as const),
  )?.items?.filter(({ spec }) => spec?.disabled !== true && spec?.cidr?.includes(":") !== true);
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

function vniProblems(answers: ClusterAnswers): HostProblem[] {
  const felix = setting<{ readonly spec?: { readonly vxlanVNI?: number } }>(
    ...([answers, "felixConfig", "storedFelixConfig"] as const),
  );
  const vni = felix?.spec?.vxlanVNI ?? smallestVni;
  return unless(vni >= smallestVni, {
    subject: "FelixConfiguration default",
    why: `has spec.vxlanVNI ${vni}; Windows supports none below ${smallestVni}`,
    instead: `Set ${smallestVni} yourself, at a time when pods may be disconnected.`,
  });
}
