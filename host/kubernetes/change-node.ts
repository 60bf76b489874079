import type { V1Node } from "@kubernetes/client-node";
import pRetry from "p-retry";

import { ApiError, hasStatus, type ClusterApi } from "./cluster-api.ts";

/** Enough for conflicts with the kubelet, which writes its status into the same object. */
const retries = 9;

/**
 * Replaces a Node object with a changed one. Tries again after a conflict, a lost connection or an overloaded server;
 * a missing Node and a refused change are final.
 *
 * @param change returns the changed object, or undefined if nothing has to be changed.
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
      if (changed === undefined) return false;
      await api.put(path, changed);
      return true;
    },
    {
      retries,
      minTimeout: 50,
      shouldRetry: ({ error }) =>
        !hasStatus(error, 404) && !(error instanceof ApiError && error.isFinal),
    },
  );
}
