import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { hostProblemText } from "../../../../config/host-problem.ts";
import {
  checkCluster,
  type WantedCluster,
} from "../../../../components/controlplane/existing/check-cluster.ts";
import { assertSaid } from "../golden.ts";
import { answers, clusterInfo, configMap } from "./answers.ts";

/** A cluster of reported-clusters.yaml. */
interface Reported {
  /** Repository and number of the public report. */
  readonly report: string;
  readonly kubeadm?: string;
  readonly kubelet?: string;
  readonly kubeProxy?: string;
  /** The server in cluster-info. */
  readonly clusterInfo?: string;
  /** Null for what is not there. */
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly anonymousStatus?: number;
  readonly isNameKnown?: boolean;
  readonly wanted?: Partial<WantedCluster>;
}

const file = new URL("reported-clusters.yaml", import.meta.url);
const reported = parse(readFileSync(file, "utf8")) as Readonly<Record<string, Reported>>;

const usual: WantedCluster = {
  kubernetesVersion: "1.36.4",
  cni: { kind: "found", mayChange: false },
  nodes: [{ name: "win-1", nodeIp: "192.0.2.11" }],
};

function said(one: Reported): object {
  const { kubeadm, kubelet, kubeProxy, anonymousStatus = 200, isNameKnown } = one;
  const others: Record<string, unknown> = {};
  for (const [name, body] of Object.entries(one.answers ?? {})) others[name] = body ?? undefined;
  const bodies = {
    ...(kubeadm !== undefined && { kubeadmConfig: configMap({ ClusterConfiguration: kubeadm }) }),
    ...(kubelet !== undefined && { kubeletConfig: configMap({ kubelet }) }),
    ...(kubeProxy !== undefined && {
      kubeProxyConfig: configMap({ "kubeconfig.conf": kubeProxy }),
    }),
    ...(one.clusterInfo !== undefined && { clusterInfo: clusterInfo(one.clusterInfo) }),
    ...others,
  };
  const asked = { ...answers(bodies), anonymousStatus, isNameKnown };
  const result = checkCluster(asked, { ...usual, ...one.wanted });
  const { warnings } = result;
  if ("problems" in result) return { problems: result.problems.map(hostProblemText), warnings };
  const { endpoint, podNetwork, podCidrs, serviceCidr } = result.facts;
  const { dnsDomain, direct, kubeletArgs, kubeProxyServer } = result.facts;
  const ranges = { podCidrs, serviceCidr };
  return {
    ...{ endpoint, podNetwork, ...ranges, dnsDomain, direct, kubeletArgs, kubeProxyServer },
    warnings,
  };
}

describe("clusters from public reports", () => {
  it("are taken with what is in force there, or refused with what is at fault", () =>
    assertSaid(new URL(import.meta.url), "reported-clusters.yaml", reported, said));
});
