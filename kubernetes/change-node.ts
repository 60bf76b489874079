import type { V1Node } from "@kubernetes/client-node";
import pRetry from "p-retry";

import { hasStatus, type ClusterApi } from "./cluster-api.ts";

/** Conflicts with the kubelet, which writes its state into the same object, are taken up this often. */
const retries = 9;

/**
 * Changes a node, by a replacement of the whole object: no patch content type to get wrong.
 *
 * @param change what it shall be; undefined where nothing is to be done.
 * @returns whether anything was changed.
 */
export function changeNode(
  api: ClusterApi,
  name: string,
  change: (node: V1Node) => V1Node | undefined,
): Promise<boolean> {
  const path = `/api/v1/nodes/${name}`;
  return pRetry(
    async () => {
      const changed = change(await api.get<V1Node>(path));
      if (changed === undefined) {
        return false;
      }
      await api.put(path, changed);
      return true;
    },
    { retries, minTimeout: 0, shouldRetry: ({ error }) => hasStatus(error, 409) },
  );
}
