import type { V1Node } from "@kubernetes/client-node";

import { unreadyReason } from "../node-facts.ts";
import type { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { say } from "../../host-action/run-action.ts";
import { type Look, waitUntil } from "../../../host/wait-until.ts";

/** Waits until a node is Ready. */
export async function awaitReadyNode(
  api: ClusterApi,
  name: string,
  timeoutSeconds: number,
): Promise<V1Node> {
  const wanted = { state: "Ready", timeoutSeconds };
  return awaitNode(api, name, wanted, (node) => unreadyReason(node) ?? { found: node });
}

/**
 * Waits until a node is in the cluster, Ready or not.
 *
 * One that was deleted there while its kubelet runs never comes back by itself, since a kubelet registers only when it
 * starts: the error says so.
 */
export async function awaitRegisteredNode(
  api: ClusterApi,
  name: string,
  timeoutSeconds: number,
): Promise<V1Node> {
  const hint = `its kubelet registers it when it starts; if ${name} had joined before, "kindows doctor --fix" restarts it`;
  const wanted = { state: "registered", timeoutSeconds, hint };
  return awaitNode(api, name, wanted, (node) => ({ found: node }));
}

async function awaitNode(
  api: ClusterApi,
  name: string,
  wanted: { readonly state: string; readonly timeoutSeconds: number; readonly hint?: string },
  check: (node: V1Node) => Look<V1Node>,
): Promise<V1Node> {
  const options = {
    what: `the node ${name} to be ${wanted.state}`,
    timeoutSeconds: wanted.timeoutSeconds,
    ...(wanted.hint !== undefined && { hint: wanted.hint }),
    onChange: (seen: string) => say(`${name}: ${seen}`),
  };
  return waitUntil(options, async (): Promise<Look<V1Node>> => {
    const node = await api.find<V1Node>(`/api/v1/nodes/${name}`);
    return node === undefined ? "not registered" : check(node);
  });
}
