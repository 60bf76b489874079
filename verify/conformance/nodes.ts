import type { V1Node, V1NodeList } from "@kubernetes/client-node";

import { changeNode } from "../../kubernetes/change-node.ts";
import type { ClusterApi } from "../../kubernetes/cluster-api.ts";
import { preparedNode, restoredNode } from "./taints.ts";

/** Closes Linux nodes to the tests' pods, and opens Windows nodes, until `restoreNodes`. */
export function prepareNodes(api: ClusterApi): Promise<readonly string[]> {
  // What a killed run has left is put right first: its record is of what was before.
  return restoreNodes(api).then(() => changeNodes(api, preparedNode));
}

/** Gives the nodes the taints they had. @returns names of those that had others */
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
