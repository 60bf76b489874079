import type { HostProblem } from "../../../config/host-problem.ts";
import type { WantedPodNetwork } from "../../cni/pod-network.ts";
import { inExisting } from "../../cni/pod-networks.ts";
import type { WindowsPodNetwork } from "../../cni/windows-pod-network.ts";
import type { HostsEntry } from "../control-plane.ts";
import { apiServerAddress, uncoveredHost, unknownName } from "./api-server-address.ts";
import { type ClusterAnswers, found } from "./cluster-answers.ts";
import { domainsOf, readConfiguration, usualDomain } from "./cluster-configuration.ts";
import {
  checkPodRanges,
  checkRange,
  type ClusterRanges,
  type WantedRanges,
} from "./cluster-ranges.ts";
import { directHosts } from "./direct-hosts.ts";
import { checkDistribution, type Distribution } from "./distribution.ts";
import { Findings } from "./findings.ts";
import { checkKubeProxy, serverOfKubeProxy } from "./found-kube-proxy.ts";
import { checkPodNetwork } from "./found-pod-network.ts";
import { checkAnonymous, checkEndpoint, type JoinEndpoint } from "./join-endpoint.ts";
import { checkNodes, type JoiningNode } from "./joining-nodes.ts";
import { checkKubelets, type WantedKubelets } from "./kubelet-arguments.ts";
import { checkDaemonSets } from "./linux-daemon-sets.ts";
import { checkRights } from "./rights.ts";
import { checkVersion } from "./version-skew.ts";

export interface WantedCluster extends WantedRanges, WantedKubelets {
  readonly endpoint?: string | undefined;
  readonly hostsEntries?: readonly HostsEntry[] | undefined;
  readonly cni: WantedPodNetwork;
  readonly nodes: readonly (JoiningNode & WantedKubelets["nodes"][number])[];
}

export interface ClusterFacts extends JoinEndpoint, ClusterRanges {
  /** Identifies the cluster: the uid of its namespace kube-system. */
  readonly id: string;
  /** Version of its API server, without a leading `v`. */
  readonly serverVersion: string;
  readonly distribution: Distribution;
  readonly podNetwork: WindowsPodNetwork;
  readonly kubeProxy: "install" | "there";
  /** Domain of the cluster's DNS. */
  readonly dnsDomain: string;
  /** Hosts, domains and ranges that machines reach without a proxy. */
  readonly direct: readonly string[];
  /** kubelet's arguments on Windows nodes for what the cluster's kubelet configuration has for Linux nodes only. */
  readonly kubeletArgs: Readonly<Record<string, string>>;
  /** The API server for kube-proxy on Windows nodes, unless the cluster's kubeconfig for kube-proxy already names it. */
  readonly kubeProxyServer?: string;
}

export type ClusterCheck = { readonly warnings: readonly string[] } & (
  { readonly facts: ClusterFacts } | { readonly problems: readonly HostProblem[] }
);

/** Whether Windows machines can join a cluster, by its answers. All that prevents it is found at once. */
export function checkCluster(answers: ClusterAnswers, wanted: WantedCluster): ClusterCheck {
  const findings = new Findings();
  const { problems, warnings } = findings;
  const server = found<{ gitVersion?: string }>(answers, "version")?.gitVersion ?? "";
  const configuration = readConfiguration(answers, findings);
  const distribution = checkDistribution(answers, configuration, server, findings);
  if (distribution === undefined) {
    // Nothing else matters if machines cannot join this kind of cluster.
    checkRights(answers.denied, [], findings);
    return { problems, warnings };
  }
  checkVersion(server, wanted.kubernetesVersion, findings);
  checkAnonymous(answers, findings);
  const target = checkEndpoint(answers, configuration, wanted.endpoint, findings);
  const serviceCidr = checkRange("serviceCidr", configuration, wanted, findings);
  const apiServer = apiServerAddress(answers, target?.endpoint, wanted.hostsEntries);
  const cluster = { serviceCidr: serviceCidr ?? "", apiServer };
  const { network: podNetwork, pods } = checkPodNetwork(answers, wanted.cni, cluster, findings);
  const podCidrs = checkPodRanges(pods, configuration, wanted, findings);
  checkNodes(answers, wanted.nodes, { pods: podCidrs, services: [serviceCidr ?? ""] }, findings);
  const kubeProxy = checkKubeProxy(answers, configuration, findings);
  checkDaemonSets(answers, findings);
  const kubeletArgs = checkKubelets(answers, configuration, wanted, server, findings);
  checkRights(answers.denied, inExisting.get(podNetwork.kind)?.rights ?? [], findings);
  const id = found<{ metadata?: { uid?: string } }>(answers, "kubeSystem")?.metadata?.uid;
  if (id === undefined) {
    findings.report(
      "Namespace kube-system",
      "cannot be read; its uid identifies the cluster",
      "Allow the kubeconfig's user to read it.",
    );
  }
  const [podCidr] = podCidrs;
  if (problems.length > 0 || !target || !podCidr || !serviceCidr || id === undefined) {
    return { problems, warnings };
  }
  unknownName(answers, target.endpoint, apiServer, findings);
  uncoveredHost(answers, target.endpoint, findings);
  const serverVersion = server.replace(/^v/, "").replace(/[+-].*$/, "");
  const ranges: ClusterRanges = { podCidr, podCidrs, serviceCidr };
  return {
    facts: {
      ...{ id, serverVersion, distribution, podNetwork, kubeProxy, ...target, ...ranges },
      dnsDomain: domainsOf(configuration)[0] ?? usualDomain,
      direct: directHosts(answers, configuration, target.endpoint, ranges),
      kubeletArgs,
      ...serverOfKubeProxy(configuration, target.endpoint),
    },
    warnings,
  };
}
