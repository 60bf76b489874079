import type { V1Node, V1Pod, V1PodList } from "@kubernetes/client-node";
import { messageOf } from "../../host/failure.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { changeNode } from "../../kubernetes/change-node.ts";
import { ApiError, hasStatus, type ClusterApi } from "../../kubernetes/cluster-api.ts";
import { awaitReadyNode, podsOn } from "./actions/node-waits.ts";

export interface Eviction {
  readonly name: string;
  /** Longest wait for its pods to go, in seconds. */
  readonly drainTimeoutSeconds: number;
  readonly say: (line: string) => void;
}

/**
 * Cordons a node, moves its pods away for a bounded time, and deletes it with what is left then. Fine when node or cluster
 * are gone.
 */
export async function drainAndDelete(api: ClusterApi, eviction: Eviction): Promise<void> {
  const { name, say } = eviction;
  const why = await closeNode(api, eviction, cordoned, "removed");
  if (why !== undefined) return say(`${why}: there is no node to be removed`);
  await evictPods(api, eviction, `deleting the node ${name} all the same`);
  try {
    if (await api.delete(`/api/v1/nodes/${name}`)) say(`the node ${name} is deleted`);
  } catch (error) {
    throw new Error(`the node ${name} could not be deleted: ${messageOf(error)}`);
  }
}

/**
 * Closes a node to new pods and moves its pods away for a bounded time. Those that stay are not ended: containerd's
 * programs are replaced under running pods. A node or a cluster that is not there has nothing to be moved.
 *
 * @throws where the API server refuses.
 */
export async function drainForUpgrade(api: ClusterApi, eviction: Eviction): Promise<void> {
  const { name, say } = eviction;
  const why = await closeNode(api, eviction, cordonedForUpgrade, "drained");
  if (why !== undefined) return say(`${why}: ${name} is upgraded with the pods it has`);
  say(`${name} takes no new pods; those on it are evicted`);
  await evictPods(api, eviction, `${name} is upgraded with them`);
}

/**
 * Opens a node to pods again that an upgrade has closed, once it is Ready; a run that was killed in between counts. A
 * cordon of anybody else stays.
 *
 * @returns whether there was anything to do.
 * @throws when it is not Ready in time; it stays closed then.
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

/** Returns why there is nothing to move away from the node, if so. @throws where the API server refuses */
async function closeNode(
  api: ClusterApi,
  { name }: Eviction,
  closed: (node: V1Node) => V1Node | undefined,
  purpose: string,
): Promise<string | undefined> {
  try {
    await changeNode(api, name, closed);
    return undefined;
  } catch (error) {
    if (hasStatus(error, 404)) return `the node ${name} is not in the cluster`;
    if (!(error instanceof ApiError)) return `the cluster does not answer (${messageOf(error)})`;
    throw new Error(`the cluster does not let the node ${name} be ${purpose}: ${error.message}`);
  }
}

/** Pods that are left at the end of the time are named, with what stood against their eviction. */
async function evictPods(
  api: ClusterApi,
  { name, drainTimeoutSeconds, say }: Eviction,
  otherwise: string,
): Promise<void> {
  const options = {
    what: `the pods on ${name} to go`,
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
 * The pods a drain has to move away, as `kubectl drain --ignore-daemonsets --delete-emptydir-data --force` picks them:
 * not those of DaemonSets (they come back at once), not the kubelet's own static ones, not finished ones.
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
export function podName(pod: V1Pod): string {
  return `${pod.metadata?.namespace ?? ""}/${pod.metadata?.name ?? ""}`;
}

/** No new pods from here on; undefined where it is closed to them already, by an earlier run or somebody else. */
function cordoned(node: V1Node, notes?: Record<string, string>): V1Node | undefined {
  if (node.spec?.unschedulable === true) return undefined;
  const metadata = { ...node.metadata, annotations: { ...node.metadata?.annotations, ...notes } };
  return { ...node, metadata, spec: { ...node.spec, unschedulable: true } };
}

/** On a node that is closed to new pods for an upgrade: says that whoever ends the upgrade may open it again. */
const annotation = "kindows.dev/cordoned-for";
const reason = "upgrade";

function cordonedForUpgrade(node: V1Node): V1Node | undefined {
  return cordoned(node, { [annotation]: reason });
}

export function isCordonedForUpgrade(node: V1Node): boolean {
  return node.metadata?.annotations?.[annotation] === reason;
}

/** The node open to pods again; undefined unless an upgrade has closed it. */
function uncordonedAfterUpgrade(node: V1Node): V1Node | undefined {
  const { [annotation]: closedFor, ...annotations } = node.metadata?.annotations ?? {};
  if (closedFor !== reason) return undefined;
  const spec = { ...node.spec };
  delete spec.unschedulable;
  return { ...node, metadata: { ...node.metadata, annotations }, spec };
}
