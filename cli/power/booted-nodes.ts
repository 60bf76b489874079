import type { V1Node, V1Pod } from "@kubernetes/client-node";

import { messageOf } from "../../host/failure.ts";
import { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { podProgress } from "../../host/kubernetes/pod-state.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { heartbeatsOf } from "../doctor/nodes.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { labStateOf } from "../lab/lab-state.ts";
import type { OwnLab } from "../lab/own-lab.ts";
import { say } from "../progress.ts";
import { isNode, type Part, partsOf } from "./turn-off.ts";

/** Longest wait: a boot of Windows on a host without KVM, and then the pod network and kube-proxy make theirs anew. */
const timeoutSeconds = 1800;

/** Time limit of one answer. */
const apiSeconds = 10;

/**
 * Notes which of a lab's machines and containers run.
 *
 * @param seen its machines and containers as they are now. Default: they are looked at.
 * @returns waits for the nodes that run by then and did not before, or on another machine: until each is Ready, and its own
 *   pods, its pod network's and kube-proxy's, are ready anew. Pods that start before may lose their network. Throws after
 *   the time limit, with what is not ready.
 */
export async function noteRunning(
  own: OwnLab,
  seen?: readonly Part[],
): Promise<() => Promise<void>> {
  const since = new Date();
  // A daemon that does not answer is reported by what needs it.
  const parts = () => partsOf(own.host, own.lab).catch(() => undefined);
  const before = seen ?? (await parts());
  return async () => {
    const after = before && (await parts());
    const booted = before && after ? bootedNodes(before, after) : [];
    if (booted.length > 0) await awaitNodes(own, booted, since);
  };
}

/** The nodes whose machine or container runs, and did not before. */
export function bootedNodes(before: readonly Part[], after: readonly Part[]): readonly string[] {
  const ran = new Set(
    before.flatMap(({ isRunning, resource }) => (isRunning ? resource.identity : [])),
  );
  return after
    .filter((part) => isNode(part) && part.isRunning && !ran.has(part.resource.identity))
    .map(({ node }) => node);
}

async function awaitNodes(
  { stack, lab }: OwnLab,
  booted: readonly string[],
  since: Date,
): Promise<void> {
  const { kubeconfig, awaitsPodNetwork } = await labStateOf(enginePulumi(stack, lab));
  if (kubeconfig === undefined) return;
  const api = new ClusterApi(kubeconfig, apiSeconds);
  const known = { booted, since, now: new Date(), awaitsPodNetwork };
  const what = `${booted.join(", ")} to be Ready again, with the pod network and kube-proxy`;
  const options = { what, timeoutSeconds, pollMilliseconds: 3000 };
  let isSaid = false;
  await waitUntil(options, async () => {
    try {
      const [nodes, leases, pods] = await Promise.all([
        api.get<{ items: V1Node[] }>("/api/v1/nodes"),
        api.get<unknown>("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"),
        api.get<{ items: V1Pod[] }>("/api/v1/pods"),
      ]);
      const heartbeats = heartbeatsOf({ leases });
      const waiting = unreadyNodes({ nodes: nodes.items, heartbeats, pods: pods.items }, known);
      if (waiting.length === 0) return undefined;
      if (!isSaid) say(`waiting for ${what}, at most ${timeoutSeconds} s`);
      isSaid = true;
      return waiting.join("; ");
    } catch (error) {
      return messageOf(error);
    }
  });
}

interface ClusterNodes {
  readonly nodes: readonly V1Node[];
  readonly heartbeats: Readonly<Record<string, Date>>;
  readonly pods: readonly V1Pod[];
}

interface KnownBoot {
  readonly booted: readonly string[];
  /** When the nodes had not booted. What the cluster says is of before, until a kubelet has looked. */
  readonly since: Date;
  /** When they had. */
  readonly now: Date;
  /** Whether the pod network, for which kube-proxy waits, is the user's to install. */
  readonly awaitsPodNetwork: boolean;
}

/** What nodes that have booted still lack. Those that have joined since are awaited by their last step. */
export function unreadyNodes(
  { nodes, heartbeats, pods }: ClusterNodes,
  { booted, since, now, awaitsPodNetwork }: KnownBoot,
): readonly string[] {
  const joined = nodes.flatMap(({ metadata, status }) => {
    const { name = "", creationTimestamp = now } = metadata ?? {};
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    return booted.includes(name) && new Date(creationTimestamp) < since ? [{ name, ready }] : [];
  });
  return joined.flatMap(({ name, ready }) => {
    const own = awaitsPodNetwork ? [] : pods.filter((pod) => isOwnPod(pod, name));
    if (own.length === 0 && (heartbeats[name] ?? new Date(0)) <= now) {
      return `${name} has sent no heartbeat since it was turned on`;
    }
    return [
      ...(ready?.status === "True" || awaitsPodNetwork
        ? []
        : [`${name} is not Ready: ${ready?.message ?? "its kubelet has said nothing"}`]),
      ...own.flatMap((pod) => unrenewed(pod, since)),
    ];
  });
}

/** Whether a pod is one that a DaemonSet has on this node, and that the node cannot do without. */
const isOwnPod = ({ metadata, spec }: V1Pod, node: string): boolean =>
  spec?.nodeName === node &&
  spec.priorityClassName === "system-node-critical" &&
  metadata?.deletionTimestamp === undefined &&
  metadata?.ownerReferences?.some(({ kind }) => kind === "DaemonSet") === true;

function unrenewed(pod: V1Pod, since: Date): readonly string[] {
  const ready = pod.status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status !== "True") return [podProgress(pod)];
  return new Date(ready.lastTransitionTime ?? 0) > since
    ? []
    : [
        `${pod.metadata?.name} on ${pod.spec?.nodeName} was ready before the node was turned on, and kubelet has not looked at it since`,
      ];
}
