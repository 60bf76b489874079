import type { V1Node, V1Pod, V1PodList } from "@kubernetes/client-node";

import { podName, podsToEvict } from "../drain.ts";
import { ApiError, hasStatus, messageOf } from "./cluster-api.ts";
import type { ClusterApi } from "./cluster-api.ts";
import { say } from "../../host-action/run-action.ts";
import { waitFor } from "./wait.ts";

export interface NodeRemoval {
  readonly name: string;
  /** Longest wait for the node's pods to go, in seconds; what is left then is deleted with the node. */
  readonly drainTimeoutSeconds: number;
}

/** Cordons a node, moves its pods away for a bounded time, and deletes it. Fine when node or cluster are gone. */
export async function drainAndDelete(api: ClusterApi, removal: NodeRemoval): Promise<void> {
  const { name } = removal;
  try {
    await cordon(api, name);
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
    await evictAll(api, removal);
  } catch (error) {
    say(`${messageOf(error)}: deleting the node ${name} all the same`);
  }
  try {
    await api.delete(`/api/v1/nodes/${name}`);
    say(`the node ${name} is deleted`);
  } catch (error) {
    if (!hasStatus(error, 404)) {
      throw new Error(`the node ${name} could not be deleted: ${messageOf(error)}`);
    }
  }
}

/** Conflicts with the kubelet, which writes its state into the same object, are taken up this often. */
const cordonAttempts = 10;

/** No new pods from here on. A replacement of the whole object: no patch content type to get wrong. */
async function cordon(api: ClusterApi, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const node = await api.get<V1Node>(`/api/v1/nodes/${name}`);
    if (node.spec?.unschedulable === true) {
      return;
    }
    const body = { ...node, spec: { ...node.spec, unschedulable: true } };
    try {
      await api.put(`/api/v1/nodes/${name}`, body);
      return;
    } catch (error) {
      if (!hasStatus(error, 409) || attempt === cordonAttempts) {
        throw error;
      }
    }
  }
}

async function evictAll(api: ClusterApi, removal: NodeRemoval): Promise<void> {
  const options = {
    what: `the pods on ${removal.name} to go`,
    timeoutSeconds: removal.drainTimeoutSeconds,
    pauseSeconds: 1,
    onChange: (seen: string) => say(`${removal.name}: ${seen}`),
  };
  await waitFor(options, async () => {
    const { items } = await api.get<V1PodList>(
      `/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${removal.name}`)}`,
    );
    const pods = podsToEvict(items);
    if (pods.length === 0) {
      return { found: true };
    }
    const refusals = await Promise.all(pods.map((pod) => evict(api, pod)));
    const refusal = refusals.find((each) => each !== undefined);
    return {
      seen: `still there: ${pods.map(podName).join(", ")}${refusal ? ` (${refusal})` : ""}`,
    };
  });
}

/** Asks for a pod's eviction; returns why not, when a disruption budget stands against it. */
async function evict(api: ClusterApi, pod: V1Pod): Promise<string | undefined> {
  const { name, namespace } = pod.metadata ?? {};
  if (name === undefined || namespace === undefined || pod.metadata?.deletionTimestamp) {
    return undefined;
  }
  try {
    await api.post(`/api/v1/namespaces/${namespace}/pods/${name}/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name, namespace },
    });
    return undefined;
  } catch (error) {
    return hasStatus(error, 404) ? undefined : messageOf(error);
  }
}
