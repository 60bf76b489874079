import { messageOf } from "../../../host/failure.ts";
import { cordonedForUpgrade } from "../upgrade-cordon.ts";
import { changeNode } from "../../../kubernetes/change-node.ts";
import { ApiError, hasStatus, type ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { evictPods, type Eviction } from "./evict-pods.ts";

/**
 * Closes a node to new pods and moves its pods away for a bounded time. Those that stay are not ended: containerd's
 * programs are replaced under running pods. A node or a cluster that is not there has nothing to be moved.
 *
 * @throws where the API server refuses.
 */
export async function drainForUpgrade(api: ClusterApi, eviction: Eviction): Promise<void> {
  const { name, say } = eviction;
  try {
    await changeNode(api, name, cordonedForUpgrade);
  } catch (error) {
    if (hasStatus(error, 404)) {
      say(`the node ${name} is not in the cluster: there are no pods to evict`);
      return;
    }
    if (error instanceof ApiError) {
      throw new Error(`the cluster does not let the node ${name} be drained: ${error.message}`);
    }
    say(`the cluster does not answer (${messageOf(error)}): ${name} is upgraded with its pods`);
    return;
  }
  say(`${name} takes no new pods; those on it are evicted`);
  try {
    await evictPods(api, eviction);
  } catch (error) {
    say(`${messageOf(error)}: ${name} is upgraded with them`);
  }
}
