import type { V1Node } from "@kubernetes/client-node";

import { messageOf } from "../../../host/failure.ts";
import { changeNode } from "../../../kubernetes/change-node.ts";
import { ApiError, hasStatus, type ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { evictPods } from "./evict-pods.ts";
import { say } from "../../host-action/run-action.ts";

export interface NodeRemoval {
  readonly name: string;
  /** Longest wait for the node's pods to go, in seconds; what is left then is deleted with the node. */
  readonly drainTimeoutSeconds: number;
}

/** Cordons a node, moves its pods away for a bounded time, and deletes it. Fine when node or cluster are gone. */
export async function drainAndDelete(api: ClusterApi, removal: NodeRemoval): Promise<void> {
  const { name } = removal;
  try {
    await changeNode(api, name, cordoned);
  } catch (error) {
    if (hasStatus(error, 404)) {
      say(`the node ${name} is not in the cluster (any more)`);
    } else if (error instanceof ApiError) {
      throw new Error(`the cluster does not let the node ${name} be removed: ${error.message}`);
    } else {
      say(`the cluster does not answer (${messageOf(error)}): it has no node ${name} any more`);
    }
    return;
  }
  try {
    await evictPods(api, { ...removal, say });
  } catch (error) {
    say(`${messageOf(error)}: deleting the node ${name} all the same`);
  }
  try {
    if (await api.delete(`/api/v1/nodes/${name}`)) say(`the node ${name} is deleted`);
  } catch (error) {
    throw new Error(`the node ${name} could not be deleted: ${messageOf(error)}`);
  }
}

/** No new pods from here on; undefined when it is closed to them already. */
function cordoned(node: V1Node): V1Node | undefined {
  return node.spec?.unschedulable === true
    ? undefined
    : { ...node, spec: { ...node.spec, unschedulable: true } };
}
