import type {
  V1ControllerRevisionList,
  V1DaemonSet,
  V1Pod,
  V1PodList,
} from "@kubernetes/client-node";
import type { ClusterApi } from "./cluster-api.ts";
import { isReady, podProgress } from "./pod-state.ts";

export interface DaemonSetName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Why a DaemonSet does not yet run on these nodes as it is now, one sentence each; none if it does.
 *
 * It does not read the numbers in the status, because they count the pods of all nodes, also of those that are not
 * asked for, and say the same before a node exists as after all its pods are ready.
 */
export async function missingOnNodes(
  api: ClusterApi,
  { namespace, name }: DaemonSetName,
  nodes: readonly string[],
): Promise<string[]> {
  const path = `/apis/apps/v1/namespaces/${namespace}`;
  const daemonSet = await api.find<V1DaemonSet>(`${path}/daemonsets/${name}`);
  if (daemonSet === undefined) return [`the DaemonSet ${namespace}/${name} does not exist yet`];
  const labels = Object.entries(daemonSet.spec?.selector.matchLabels ?? {});
  const labelSelector = labels.map((pair) => pair.join("=")).join(",");
  // Unlike encodeURIComponent, it takes any text.
  const query = new URLSearchParams({ labelSelector }).toString();
  const [revisions, pods] = await Promise.all([
    api.get<V1ControllerRevisionList>(`${path}/controllerrevisions?${query}`),
    api.get<V1PodList>(`/api/v1/namespaces/${namespace}/pods?${query}`),
  ]);
  return missing(daemonSet, revisions.items, pods.items, nodes);
}

/** The label of a DaemonSet's pods and revisions that tells which template they were made from. */
const revisionLabel = "controller-revision-hash";

function missing(
  { metadata, status }: V1DaemonSet,
  revisions: V1ControllerRevisionList["items"],
  pods: readonly V1Pod[],
  nodes: readonly string[],
): string[] {
  const { uid, name = "", namespace = "", generation = 0 } = metadata ?? {};
  const isOwn = (owned: Pick<V1Pod, "metadata">): boolean =>
    (owned.metadata?.ownerReferences ?? []).some((owner) => owner.uid === uid);
  if ((status?.observedGeneration ?? 0) < generation) {
    return [`the newest DaemonSet ${namespace}/${name} has not been rolled out yet`];
  }
  const [current] = revisions.filter(isOwn).sort((one, other) => other.revision - one.revision);
  const hash = current?.metadata?.labels?.[revisionLabel];
  const own = pods.filter((pod) => isOwn(pod) && pod.metadata?.deletionTimestamp === undefined);
  return nodes.flatMap((node) => {
    const there = own.filter(({ spec }) => spec?.nodeName === node);
    const newest = there.find((pod) => pod.metadata?.labels?.[revisionLabel] === hash);
    if (newest === undefined) {
      const which = there.length === 0 ? "no pod" : "a pod of an earlier version";
      return [`${name} has ${which} on ${node}`];
    }
    return isReady(newest) ? [] : [podProgress(newest)];
  });
}
