import type { V1Node, V1Pod, V1PodList } from "@kubernetes/client-node";
import { messageOf } from "../../host/failure.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { changeNode } from "../../host/kubernetes/change-node.ts";
import { ApiError, hasStatus, type ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { awaitReadyNode, podsOn } from "./actions/node-waits.ts";

interface Eviction {
  readonly name: string;
  /** Longest wait for the eviction of its pods, in seconds. */
  readonly drainTimeoutSeconds: number;
  readonly say: (line: string) => void;
}

/**
 * Cordons a node, evicts its pods for a limited time, and deletes it with the pods that are left. Succeeds if the node
 * or the cluster does not exist any more.
 */
export async function drainAndDelete(api: ClusterApi, eviction: Eviction): Promise<void> {
  const { name, say } = eviction;
  const why = await cordon(api, eviction, cordoned, "removed");
  if (why !== undefined) return say(`${why}: there is no node to remove`);
  await evictPods(api, eviction, `deleting the node ${name} anyway`);
  try {
    if (await api.delete(`/api/v1/nodes/${name}`)) say(`the node ${name} is deleted`);
  } catch (error) {
    throw new Error(`the node ${name} could not be deleted: ${messageOf(error)}`);
  }
}

/**
 * Cordons a node for an upgrade and evicts its pods for a limited time. Pods that are left keep running while
 * containerd's programs are replaced. Does nothing if the node or the cluster does not exist.
 *
 * @throws if the API server refuses.
 */
export async function drainForUpgrade(api: ClusterApi, eviction: Eviction): Promise<void> {
  const { name, say } = eviction;
  const why = await cordon(api, eviction, cordonedForUpgrade, "drained");
  if (why !== undefined) return say(`${why}: ${name} is upgraded without being drained`);
  say(`${name} takes no new pods; those on it are evicted`);
  await evictPods(api, eviction, `${name} is upgraded with them`);
}

/**
 * Waits until a node that was cordoned for an upgrade, by this or an earlier run, is Ready, and uncordons it. A node
 * that was cordoned for another reason stays so.
 *
 * @returns whether the node was uncordoned.
 * @throws if it is not Ready in time; it stays cordoned then.
 */
export async function endUpgrade(
  api: ClusterApi,
  name: string,
  timeoutSeconds: number,
): Promise<boolean> {
  if (!isCordonedForUpgrade(await api.get<V1Node>(`/api/v1/nodes/${name}`))) return false;
  await awaitReadyNode(api, name, timeoutSeconds);
  return changeNode(api, name, uncordonedAfterUpgrade);
}

/**
 * Cordons a node.
 *
 * @returns why it could not be done, if the node does not exist or the cluster does not answer.
 * @throws if the API server refuses.
 */
async function cordon(
  api: ClusterApi,
  { name }: Eviction,
  change: (node: V1Node) => V1Node | undefined,
  purpose: string,
): Promise<string | undefined> {
  try {
    await changeNode(api, name, change);
    return undefined;
  } catch (error) {
    if (hasStatus(error, 404)) return `the node ${name} is not in the cluster`;
    if (!(error instanceof ApiError)) return `the cluster does not answer (${messageOf(error)})`;
    throw new Error(`the node ${name} cannot be ${purpose}: ${error.message}`);
  }
}

/** Reports the pods that are left at the end of the time limit, why they were not evicted, and `otherwise`. */
async function evictPods(
  api: ClusterApi,
  { name, drainTimeoutSeconds, say }: Eviction,
  otherwise: string,
): Promise<void> {
  const options = {
    what: `the pods on ${name} to be evicted`,
    timeoutSeconds: drainTimeoutSeconds,
    pollMilliseconds: 1000,
    onChange: (seen: string) => say(`${name}: ${seen}`),
  };
  const emptied = waitUntil(options, async () => {
    const { items } = await api.get<V1PodList>(podsOn(name));
    const pods = podsToEvict(items);
    if (pods.length === 0) return undefined;
    const refusals = await Promise.all(pods.map((pod) => evict(api, pod)));
    const refusal = refusals.find((each) => each !== undefined);
    return `still there: ${pods.map(podName).join(", ")}${refusal ? ` (${refusal})` : ""}`;
  });
  await emptied.catch((error: unknown) => say(`${messageOf(error)}: ${otherwise}`));
}

async function evict(api: ClusterApi, pod: V1Pod): Promise<string | undefined> {
  const { name, namespace, deletionTimestamp } = pod.metadata ?? {};
  if (name === undefined || namespace === undefined || deletionTimestamp) return undefined;
  try {
    await api.post(`/api/v1/namespaces/${namespace}/pods/${name}/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name, namespace },
    });
    return undefined;
  } catch (error) {
    return hasStatus(error, 404) ? undefined : messageOf(error);
  }
}

/**
 * The pods that a drain evicts, as `kubectl drain --ignore-daemonsets --delete-emptydir-data --force` does: all except
 * those of DaemonSets, which would come back at once, the kubelet's static pods, and finished ones.
 */
export function podsToEvict(pods: readonly V1Pod[]): V1Pod[] {
  return pods.filter(
    ({ metadata, status }) =>
      metadata?.annotations?.["kubernetes.io/config.mirror"] === undefined &&
      !["Succeeded", "Failed"].includes(status?.phase ?? "") &&
      !(metadata?.ownerReferences ?? []).some(
        ({ controller, kind }) => controller === true && kind === "DaemonSet",
      ),
  );
}

/** `namespace/name`. */
function podName(pod: V1Pod): string {
  return `${pod.metadata?.namespace ?? ""}/${pod.metadata?.name ?? ""}`;
}

/** The node, cordoned; undefined if it is cordoned already. */
function cordoned(node: V1Node, notes?: Record<string, string>): V1Node | undefined {
  if (node.spec?.unschedulable === true) return undefined;
  const metadata = { ...node.metadata, annotations: { ...node.metadata?.annotations, ...notes } };
  return { ...node, metadata, spec: { ...node.spec, unschedulable: true } };
}

/** Annotation of a node that was cordoned for an upgrade, and may be uncordoned after it. */
const annotation = "kindows.dev/cordoned-for";
const reason = "upgrade";

function cordonedForUpgrade(node: V1Node): V1Node | undefined {
  return cordoned(node, { [annotation]: reason });
}

export function isCordonedForUpgrade(node: V1Node): boolean {
  return node.metadata?.annotations?.[annotation] === reason;
}

/** The node, uncordoned; undefined unless it was cordoned for an upgrade. */
function uncordonedAfterUpgrade(node: V1Node): V1Node | undefined {
  const { [annotation]: cordonedFor, ...annotations } = node.metadata?.annotations ?? {};
  if (cordonedFor !== reason) return undefined;
  const spec = { ...node.spec };
  delete spec.unschedulable;
  return { ...node, metadata: { ...node.metadata, annotations }, spec };
}
