import type { V1DaemonSet } from "@kubernetes/client-node";
import type { ClusterForNetwork, FoundPods, WantedPodNetwork } from "../../cni/pod-network.ts";
import { inExisting, podNetworkNamed } from "../../cni/pod-networks.ts";
import type { WindowsPodNetwork } from "../../cni/windows-pod-network.ts";
import { type ClusterAnswers, foundItems } from "./cluster-answers.ts";
import type { Findings } from "./findings.ts";

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

/** The cluster's pod network as Windows nodes use it; of the kind `none` if they cannot, or shall not. */
export function checkPodNetwork(
  answers: ClusterAnswers,
  wanted: WantedPodNetwork,
  cluster: ClusterForNetwork,
  findings: Findings,
): { readonly network: WindowsPodNetwork; readonly pods?: FoundPods | undefined } {
  const none = { network: { kind: "none" } };
  for (const [kind, definition] of inExisting) {
    const result = definition.check(answers, wanted, cluster);
    if (result === undefined) continue;
    if (wanted.kind === "none") return { ...none, pods: result.pods };
    if (wanted.kind === "found" || wanted.kind === kind) {
      for (const { subject, why, instead } of result.problems)
        findings.report(subject, why, instead);
      for (const warning of result.warnings ?? []) findings.warn(warning);
      return result;
    }
    const why = `is not what the cluster has: ${podNetworkNamed(kind)?.title ?? kind}`;
    findings.report(`kindows:cni.kind: "${wanted.kind}"`, why, `Write ${kind}, or found.`);
    return { ...none, pods: result.pods };
  }
  if (wanted.kind === "none") return none;
  const names = foundItems<V1DaemonSet>(answers, "daemonSets").map(
    ({ metadata }) => metadata?.name ?? "",
  );
  const known = [...inExisting.values()].map(({ installedAs }) => installedAs);
  const other = others.find(([pattern]) => names.some((name) => pattern.test(name)));
  findings.report(
    "The cluster's pod network",
    other === undefined ? "is not one that kindows knows" : `is ${other[1]}`,
    `Windows nodes can have ${known.join(", or ")}. To join them without a network for their pods write kindows:cni.kind: none.`,
  );
  return none;
}
