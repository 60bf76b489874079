import type { V1Node } from "@kubernetes/client-node";

import { isCordonedForUpgrade, uncordonedAfterUpgrade } from "../upgrade-cordon.ts";
import { changeNode } from "../../../kubernetes/change-node.ts";
import type { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { awaitReadyNode } from "./node-waits.ts";

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
  if (!isCordonedForUpgrade(await api.get<V1Node>(`/api/v1/nodes/${name}`))) {
    return false;
  }
  await awaitReadyNode(api, name, timeoutSeconds);
  return changeNode(api, name, uncordonedAfterUpgrade);
}
