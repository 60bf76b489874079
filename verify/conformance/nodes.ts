import type { V1Node, V1NodeList } from "@kubernetes/client-node";

import { hasStatus } from "../../kubernetes/cluster-api.ts";
import type { ClusterApi } from "../../kubernetes/cluster-api.ts";
import { preparedNode, restoredNode } from "./taints.ts";

/** Tries where somebody else, its kubelet for one, writes to a Node at the same moment. */
const tries = 5;

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

async function changeNode(
  api: ClusterApi,
  name: string,
  change: (node: V1Node) => V1Node | undefined,
): Promise<boolean> {
  const path = `/api/v1/nodes/${name}`;
  for (let attempt = 1; ; attempt++) {
    const wanted = change(await api.get<V1Node>(path));
    if (wanted === undefined) {
      return false;
    }
    try {
      await api.put(path, wanted);
      return true;
    } catch (error) {
      if (attempt === tries || !hasStatus(error, 409)) throw error;
    }
  }
}
