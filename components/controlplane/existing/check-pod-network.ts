import type { V1DaemonSetList } from "@kubernetes/client-node";
import type { FoundPodNetwork, WantedPodNetwork } from "../../cni/pod-network.ts";
import { inExisting, podNetworkNamed } from "../../cni/registry.ts";
import { found, type ClusterAnswers } from "./cluster-answers.ts";
import type { ClusterProblem } from "./cluster-problem.ts";

/** Pod networks that are recognised and have no part for Windows nodes here, by their DaemonSets. */
const others: readonly (readonly [RegExp, string])[] = [
  [/^cilium$/, "Cilium, which has no Windows nodes"],
  [/^weave-net/, "Weave Net, which has no Windows nodes any more"],
  [/^canal/, "Canal, which has no Windows nodes"],
  [/^kindnet/, "kind's own, which has no Windows nodes"],
  [/^antrea-agent/, "Antrea, which is not supported here"],
  [/^ovnkube-node/, "OVN-Kubernetes, which is not supported here"],
  [/^kube-router/, "kube-router, which has no Windows nodes"],
  [
    /^calico-node$/,
    "Calico without its operator, which alone installs it on Windows nodes (since Calico 3.27); kubespray installs it so",
  ],
];

/** Which pod network the cluster has and whether Windows nodes can have it. */
export function checkPodNetwork(
  answers: ClusterAnswers,
  wanted: WantedPodNetwork,
  cluster: { readonly serviceCidr: string; readonly endpoint: string },
): { readonly network: FoundPodNetwork; readonly problems: readonly ClusterProblem[] } {
  const none = { kind: "none" };
  if (wanted.kind === "none") {
    return { network: none, problems: [] };
  }
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
