import type { V1Node } from "@kubernetes/client-node";

import { hasStatus } from "../../../kubernetes/cluster-api.ts";
import type { ClusterApi } from "../../../kubernetes/cluster-api.ts";

/** Conflicts with the kubelet, which writes its state into the same object, are taken up this often. */
const attempts = 10;

/**
 * Changes a node, by a replacement of the whole object: no patch content type to get wrong.
 *
 * @param change what it shall be; undefined where nothing is to be done.
 * @returns whether anything was changed.
 */
export async function changeNode(
  api: ClusterApi,
  name: string,
  change: (node: V1Node) => V1Node | undefined,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const changed = change(await api.get<V1Node>(`/api/v1/nodes/${name}`));
    if (changed === undefined) {
      return false;
    }
    try {
      await api.put(`/api/v1/nodes/${name}`, changed);
      return true;
    } catch (error) {
      if (!hasStatus(error, 409) || attempt === attempts) {
        throw error;
      }
    }
  }
}
