import type { V1ConfigMap } from "@kubernetes/client-node";
import { found, type ClusterAnswers } from "../../controlplane/existing/cluster-answers.ts";
import type { ClusterChange, ClusterProblem } from "../../controlplane/existing/cluster-problem.ts";
import type { FoundPodNetwork, HnsNetwork, PodNetworkInExisting } from "../pod-network.ts";

/** Calico in an existing cluster, and what may be changed in it. */
export interface FoundCalico extends FoundPodNetwork {
  readonly changes: readonly ClusterChange[];
}

/** The names of Calico's HNS network and of its endpoint on Windows nodes. */
export const calicoHnsNetwork: HnsNetwork = { name: "Calico", endpoint: "Calico_ep" };

const foundCalico = (changes: readonly ClusterChange[]): FoundCalico => ({
  kind: "calico",
  changes,
});

export const existingCalico: PodNetworkInExisting = {
  installedAs: "Calico by its operator",
  questions: {
    installation: "/apis/operator.tigera.io/v1/installations/default",
    // Its resources in its own API, and as its older releases store them.
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
    const { problems, changes } = checkCalico(answers, serviceCidr, endpoint);
    const undone = mayChange ? [] : changes.filter(({ done }) => !done);
    return {
      // If nothing may be changed, no changes are returned.
      network: foundCalico(mayChange ? changes : []),
      problems: [
        ...problems,
        ...undone.map(({ object, why, command }) => ({
          subject: object,
          why,
          instead: `Set it: ${command}\n    Or write kindows:cni.mayChange: true, and see in a preview what is set.`,
        })),
      ],
    };
  },
  onWindows: ({ kind }) => ({ kind }),
  hnsNetwork: () => calicoHnsNetwork,
};

interface Installation {
  readonly spec?: {
    readonly serviceCIDRs?: readonly string[];
    readonly calicoNetwork?: { readonly bgp?: string; readonly windowsDataplane?: string };
  };
}

interface IpPool {
  readonly metadata?: { readonly name?: string };
  readonly spec?: {
    readonly cidr?: string;
    readonly disabled?: boolean;
    readonly vxlanMode?: string;
    readonly ipipMode?: string;
  };
}

interface WithSpec<T> {
  readonly spec?: T;
}

/** Result of checking Calico for Windows nodes. */
interface CalicoCheck {
  /** Problems that must not be solved automatically, as that would disconnect the pods of all nodes. */
  readonly problems: readonly ClusterProblem[];
  /** Changes that do no harm. */
  readonly changes: readonly ClusterChange[];
}

/** Smallest VNI on Windows (Calico, felix/dataplane/windows). */
const smallestVni = 4096;

/**
 * Calico, installed by its operator.
 *
 * @param serviceCidr of the cluster.
 * @param endpoint `host:port` of the API server as nodes see it; Calico on Windows wants it written down.
 */
function checkCalico(answers: ClusterAnswers, serviceCidr: string, endpoint: string): CalicoCheck {
  const { spec } = found<Installation>(answers, "installation") ?? {};
  const [host = "", port = ""] = endpoint.split(":");
  const dataplane = spec?.calicoNetwork?.windowsDataplane ?? "Disabled";
  const serviceRanges = spec?.serviceCIDRs ?? [];
  const variables = found<V1ConfigMap>(answers, "servicesEndpoint")?.data;
  const ipam = found<WithSpec<{ strictAffinity?: boolean }>>(answers, "ipamConfig");
  const stored = found<WithSpec<{ strictAffinity?: boolean }>>(answers, "storedIpamConfig");
  const strict = (ipam ?? stored)?.spec?.strictAffinity === true;
  const v3 = ipam !== undefined;
  const operator = "operator.tigera.io/v1";
  const forWindows = {
    serviceCIDRs: serviceRanges.length > 0 ? serviceRanges : [serviceCidr],
    calicoNetwork: { windowsDataplane: "HNS" },
  };
  return {
    problems: [...checkPools(answers, spec?.calicoNetwork?.bgp), ...checkVni(answers)],
    changes: [
      // First: the operator refuses an Installation for Windows without it.
      {
        object: "ConfigMap tigera-operator/kubernetes-services-endpoint",
        path: "/api/v1/namespaces/tigera-operator/configmaps/kubernetes-services-endpoint",
        fields: {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "kubernetes-services-endpoint", namespace: "tigera-operator" },
          data: {
            KUBERNETES_SERVICE_HOST: variables?.["KUBERNETES_SERVICE_HOST"] ?? host,
            KUBERNETES_SERVICE_PORT: variables?.["KUBERNETES_SERVICE_PORT"] ?? port,
          },
        },
        done:
          variables?.["KUBERNETES_SERVICE_HOST"] !== undefined &&
          variables["KUBERNETES_SERVICE_PORT"] !== undefined,
        why: "does not say where the API server is, which Calico on Windows needs",
        command: `kubectl -n tigera-operator create configmap kubernetes-services-endpoint --from-literal=KUBERNETES_SERVICE_HOST=${host} --from-literal=KUBERNETES_SERVICE_PORT=${port}`,
      },
      {
        object: "Installation default",
        path: `/apis/${operator}/installations/default`,
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
        path: v3
          ? "/apis/projectcalico.org/v3/ipamconfigurations/default"
          : "/apis/crd.projectcalico.org/v1/ipamconfigs/default",
        fields: {
          apiVersion: v3 ? "projectcalico.org/v3" : "crd.projectcalico.org/v1",
          kind: v3 ? "IPAMConfiguration" : "IPAMConfig",
          metadata: { name: "default" },
          spec: { strictAffinity: true },
        },
        done: strict,
        why: "has not spec.strictAffinity true, so that a node may use addresses of another's block, which Windows cannot",
        command: `kubectl patch ${v3 ? "ipamconfigurations.projectcalico.org" : "ipamconfigs.crd.projectcalico.org"} default --type merge -p '{"spec":{"strictAffinity":true}}'`,
      },
    ],
  };
}

/** Windows nodes do VXLAN everywhere or nothing at all with BGP; no IPIP, no change between subnets. */
function checkPools(answers: ClusterAnswers, bgp = "Enabled"): ClusterProblem[] {
  const pools = (
    found<{ items?: readonly IpPool[] }>(answers, "ipPools") ??
    found<{ items?: readonly IpPool[] }>(answers, "storedIpPools")
  )?.items?.filter(({ spec }) => spec?.disabled !== true && spec?.cidr?.includes(":") !== true);
  if (pools === undefined || pools.length === 0) {
    const why = "cannot be read, or there is none that is enabled";
    return [{ subject: "Calico's IPPools", why, instead: "Have the kubeconfig's user read them." }];
  }
  const vxlan = pools.filter(({ spec }) => (spec?.vxlanMode ?? "Never") === "Always");
  return [
    ...pools.flatMap(({ metadata, spec }): ClusterProblem[] => {
      const [vx, ipip] = [spec?.vxlanMode ?? "Never", spec?.ipipMode ?? "Never"];
      const subject = `IPPool ${metadata?.name ?? ""}`;
      const danger =
        "it changes the way of every pod's packets, so nothing here does it by the way";
      if (ipip !== "Never" || vx === "CrossSubnet") {
        const why = `has ipipMode ${ipip} and vxlanMode ${vx}; Windows nodes have VXLAN always, or none with BGP`;
        return [{ subject, why, instead: `Set VXLAN with vxlanMode Always yourself: ${danger}.` }];
      }
      if (vx === "Never" && bgp !== "Enabled") {
        const why =
          "has no encapsulation and the Installation has no BGP, so nothing leads to other nodes";
        return [{ subject, why, instead: `Set vxlanMode Always yourself: ${danger}.` }];
      }
      if (vx === "Always" && bgp === "Enabled") {
        const why =
          "has VXLAN while the Installation has BGP, which Calico does not do on Windows together";
        return [
          {
            subject,
            why,
            instead: `Set spec.calicoNetwork.bgp of the Installation to Disabled yourself: ${danger}.`,
          },
        ];
      }
      return [];
    }),
    ...(vxlan.length > 1
      ? [
          {
            subject: `IPPools ${vxlan.map(({ metadata }) => metadata?.name ?? "").join(", ")}`,
            why: "are several with VXLAN; Calico on Windows does one",
            instead: "Disable all but one.",
          },
        ]
      : []),
  ];
}

function checkVni(answers: ClusterAnswers): ClusterProblem[] {
  const felix =
    found<WithSpec<{ vxlanVNI?: number }>>(answers, "felixConfig") ??
    found<WithSpec<{ vxlanVNI?: number }>>(answers, "storedFelixConfig");
  const vni = felix?.spec?.vxlanVNI;
  return vni === undefined || vni >= smallestVni
    ? []
    : [
        {
          subject: "FelixConfiguration default",
          why: `has spec.vxlanVNI ${vni}; Windows takes none below ${smallestVni}`,
          instead: `Set ${smallestVni} yourself, at a time when pods may be cut off.`,
        },
      ];
}
