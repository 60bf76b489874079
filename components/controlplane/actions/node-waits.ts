import type { V1Node, V1PodList } from "@kubernetes/client-node";
import { unreadyReason } from "../unready-reason.ts";
import type { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { podTroubles } from "../../../host/kubernetes/pod-state.ts";
import { say } from "../../host-action/run-action.ts";
import { type Look, waitUntil, type WaitOptions } from "../../../host/wait-until.ts";

/** Waits for a node to be Ready. Reports problems of its pods too, because one of them may be its pod network. */
export function awaitReadyNode(
  api: ClusterApi,
  name: string,
  timeoutSeconds: number,
): Promise<V1Node> {
  const wait = { what: `the node ${name} to be Ready`, timeoutSeconds };
  return awaitNode(api, name, wait, async (node) => {
    const why = unreadyReason(node);
    if (why === undefined) return { found: node };
    const { items } = await api.get<V1PodList>(podsOn(name));
    return [why, ...podTroubles(items)].join("; ");
  });
}

/** Path of the list of all pods on a node. */
export function podsOn(node: string): string {
  return `/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${node}`)}`;
}

/**
 * Waits until a node is in the cluster, Ready or not.
 *
 * The error has a hint, because a Node that was deleted while its kubelet runs never comes back by itself: a kubelet
 * registers its Node only when it starts.
 */
export function awaitRegisteredNode(
  api: ClusterApi,
  name: string,
  timeoutSeconds: number,
): Promise<V1Node> {
  const hint = `its kubelet registers it when it starts; if ${name} had joined before, "kindows doctor --fix" restarts it`;
  const wait = { what: `the node ${name} to be registered`, timeoutSeconds, hint };
  return awaitNode(api, name, wait, (node) => Promise.resolve({ found: node }));
}

function awaitNode(
  api: ClusterApi,
  name: string,
  wait: WaitOptions,
  check: (node: V1Node) => Promise<Look<V1Node>>,
): Promise<V1Node> {
  const onChange = (seen: string): void => say(`${name}: ${seen}`);
  return waitUntil({ ...wait, onChange }, async (): Promise<Look<V1Node>> => {
    const node = await api.find<V1Node>(`/api/v1/nodes/${name}`);
    return node === undefined ? "not registered" : check(node);
  });
}
