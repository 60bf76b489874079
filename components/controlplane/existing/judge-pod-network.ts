import type { V1DaemonSetList } from "@kubernetes/client-node";
import type { FlannelBackend } from "../../cni/flannel/flannel-config.ts";
import { found, type ClusterAnswers } from "./cluster-answers.ts";
import type { ClusterChange } from "./cluster-change.ts";
import type { ClusterProblem } from "./cluster-problem.ts";
import { flannelConfig, judgeFlannel } from "./judge-flannel.ts";
import { judgeCalico } from "./judge-calico.ts";

/** The pod network that Windows nodes get. */
export type FoundPodNetwork =
  | { readonly kind: "calico"; readonly changes: readonly ClusterChange[] }
  | { readonly kind: "flannel"; readonly backend: FlannelBackend }
  | { readonly kind: "none" };

/** What the settings say of it. */
export interface WantedPodNetwork {
  readonly kind: "found" | "calico" | "flannel" | "none";
  readonly mayChange: boolean;
  readonly nodeCidr?: string | undefined;
}

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
export function judgePodNetwork(
  answers: ClusterAnswers,
  wanted: WantedPodNetwork,
  cluster: { readonly serviceCidr: string; readonly endpoint: string },
): { readonly network: FoundPodNetwork; readonly problems: readonly ClusterProblem[] } {
  const none = { kind: "none" } as const;
  if (wanted.kind === "none") {
    return { network: none, problems: [] };
  }
  const calico = found(answers, "installation") !== undefined;
  const flannel = flannelConfig(answers);
  const kind = calico ? "calico" : flannel === undefined ? undefined : "flannel";
  if (kind === undefined) {
    return { network: none, problems: [unfit(answers)] };
  }
  if (wanted.kind !== "found" && wanted.kind !== kind) {
    const subject = `kindows:cni.kind: "${wanted.kind}"`;
    const why = `is not what the cluster has: ${kind === "calico" ? "Calico" : "Flannel"}`;
    return { network: none, problems: [{ subject, why, instead: `Write ${kind}, or found.` }] };
  }
  if (flannel !== undefined && kind === "flannel") {
    const backend = judgeFlannel(flannel);
    const range: ClusterProblem = {
      subject: "kindows:cni.nodeCidr",
      why: "is missing; the cluster has Flannel, whose files on Windows nodes name the nodes' own range",
      instead: "Write the IPv4 range of the nodes' addresses.",
    };
    const lacking = wanted.nodeCidr === undefined ? [range] : [];
    return typeof backend === "string"
      ? { network: { kind: "flannel", backend }, problems: lacking }
      : { network: none, problems: [backend, ...lacking] };
  }
  const { problems, changes } = judgeCalico(answers, cluster.serviceCidr, cluster.endpoint);
  const undone = wanted.mayChange ? [] : changes.filter(({ done }) => !done);
  return {
    // Where nothing may be changed, nothing is asked for either.
    network: { kind: "calico", changes: wanted.mayChange ? changes : [] },
    problems: [
      ...problems,
      ...undone.map(({ object, why, command }) => ({
        subject: object,
        why,
        instead: `Set it: ${command}\n    Or write kindows:cni.mayChange: true, and see in a preview what is set.`,
      })),
    ],
  };
}

function unfit(answers: ClusterAnswers): ClusterProblem {
  const names = (found<V1DaemonSetList>(answers, "daemonSets")?.items ?? []).map(
    ({ metadata }) => metadata?.name ?? "",
  );
  const known = others.find(([mark]) => names.some((name) => mark.test(name)));
  return {
    subject: "The cluster's pod network",
    why: known === undefined ? "is none that is known here" : `is ${known[1]}`,
    instead:
      "Windows nodes get Calico by its operator, or Flannel. To join them without a network for their pods write kindows:cni.kind: none.",
  };
}
