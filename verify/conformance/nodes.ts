import type { V1Node, V1NodeList } from "@kubernetes/client-node";

import { changeNode } from "../../kubernetes/change-node.ts";
import type { ClusterApi } from "../../kubernetes/cluster-api.ts";
import { preparedNode, restoredNode } from "./taints.ts";

/** Taints Linux nodes against the tests' pods, and removes taints from Windows nodes, until `restoreNodes`. */
export function prepareNodes(api: ClusterApi): Promise<readonly string[]> {
  // First undo what a killed run has left, from its record of the original taints.
  return restoreNodes(api).then(() => changeNodes(api, preparedNode));
}

/** Restores the nodes' taints. @returns names of those that were changed */
export function restoreNodes(api: ClusterApi): Promise<readonly string[]> {
  return changeNodes(api, restoredNode);
}

async function changeNodes(
  api: ClusterApi,
  change: (node: V1Node) => V1Node | undefined,
): Promise<readonly string[]> {
  const { items } = await api.get<V1NodeList>("/api/v1/nodes");
  const names = items.map(({ metadata }) => metadata?.name ?? "");
  const done = await Promise.all(names.map((name) => changeNode(api, name, change)));
  return names.filter((_name, index) => done[index]);
}
