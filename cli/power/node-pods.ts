import type { V1Pod, V1PodList } from "@kubernetes/client-node";

import { messageOf } from "../../host/failure.ts";
import { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { podProgress } from "../../host/kubernetes/pod-state.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { labStateOf } from "../lab/lab-state.ts";
import type { OwnLab } from "../lab/own-lab.ts";
import { say } from "../progress.ts";
import { offNodes, type Part, partsOf } from "./turn-off.ts";

/** Longest wait: on Windows the pod network makes its network anew, and kube-proxy waits for that. */
const timeoutSeconds = 600;

/** Time limit of one answer. */
const apiSeconds = 10;

/**
 * Notes which of a lab's nodes are off.
 *
 * @param seen its machines and containers as they are now. Default: they are looked at.
 * @returns waits until a node's own pods, its pod network's and kube-proxy's, are ready again on those nodes that run by then.
 *   Pods that start before may lose their network. Throws after the time limit, with what is not ready.
 */
export async function noteOffNodes(
  own: OwnLab,
  seen?: readonly Part[],
): Promise<() => Promise<void>> {
  const since = new Date();
  // A daemon that does not answer is reported by what needs it.
  const parts = () => partsOf(own.host, own.lab).catch(() => []);
  const off = offNodes(seen ?? (await parts()));
  return async () => {
    if (off.length === 0) return;
    const on = (await parts()).filter(({ isRunning }) => isRunning).map(({ node }) => node);
    const turnedOn = off.filter((node) => on.includes(node));
    if (turnedOn.length > 0) await awaitNodePods(own, turnedOn, since);
  };
}

/** @param since when the nodes were off. What the cluster says of pods is of before, until a kubelet has looked at them. */
async function awaitNodePods(
  { stack, lab }: OwnLab,
  nodes: readonly string[],
  since: Date,
): Promise<void> {
  const { kubeconfig } = await labStateOf(enginePulumi(stack, lab));
  if (kubeconfig === undefined) return;
  const api = new ClusterApi(kubeconfig, apiSeconds);
  const what = `the pod network and kube-proxy on ${nodes.join(", ")} to be ready again`;
  say(`waiting for ${what}, at most ${timeoutSeconds} s`);
  await waitUntil({ what, timeoutSeconds, pollMilliseconds: 3000 }, async () => {
    try {
      const { items } = await api.get<V1PodList>("/api/v1/pods");
      const waiting = unrenewedPods(items, nodes, since);
      return waiting.length === 0 ? undefined : waiting.join("; ");
    } catch (error) {
      return messageOf(error);
    }
  });
}

/** What the pods that each of these nodes has of a DaemonSet, and cannot do without, still lack. */
export function unrenewedPods(
  pods: readonly V1Pod[],
  nodes: readonly string[],
  since: Date,
): readonly string[] {
  const own = pods.filter(
    ({ metadata, spec }) =>
      nodes.includes(spec?.nodeName ?? "") &&
      spec?.priorityClassName === "system-node-critical" &&
      metadata?.deletionTimestamp === undefined &&
      metadata?.ownerReferences?.some(({ kind }) => kind === "DaemonSet") === true,
  );
  return own.flatMap((pod) => {
    const ready = pod.status?.conditions?.find(({ type }) => type === "Ready");
    if (ready?.status !== "True") return podProgress(pod);
    const { name } = pod.metadata ?? {};
    return new Date(ready.lastTransitionTime ?? 0) > since
      ? []
      : `${name} on ${pod.spec?.nodeName} was ready before the node was turned on, and kubelet has not looked at it since`;
  });
}
