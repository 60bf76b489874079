import type { CoreV1Api, V1Pod } from "@kubernetes/client-node";

import { podName, podsToEvict } from "../drain.ts";
import { apiMessage, hasStatus } from "./cluster-api.ts";
import { say } from "./run-action.ts";
import { waitFor, within } from "./wait.ts";

export interface NodeRemoval {
  readonly name: string;
  /** Longest wait for the node's pods to go, in seconds; what is left then is deleted with the node. */
  readonly drainTimeoutSeconds: number;
  /** Longest wait for the API server's first answer, in seconds; without one the cluster counts as gone. */
  readonly apiTimeoutSeconds: number;
}

/** Cordons a node, moves its pods away for a bounded time, and deletes it. Fine when node or cluster are gone. */
export async function drainAndDelete(api: CoreV1Api, removal: NodeRemoval): Promise<void> {
  const { name } = removal;
  try {
    await within(cordon(api, name), removal.apiTimeoutSeconds * 1000);
  } catch (error) {
    if (hasStatus(error, 404)) {
      say(`the node ${name} is not in the cluster (any more)`);
    } else {
      say(
        `the cluster does not answer (${apiMessage(error)}): nothing to remove the node ${name} from`,
      );
    }
    return;
  }
  try {
    await evictAll(api, removal);
  } catch (error) {
    say(`${apiMessage(error)}: deleting the node ${name} all the same`);
  }
  try {
    await within(api.deleteNode({ name }), removal.apiTimeoutSeconds * 1000);
    say(`the node ${name} is deleted`);
  } catch (error) {
    if (!hasStatus(error, 404)) {
      throw new Error(`the node ${name} could not be deleted: ${apiMessage(error)}`);
    }
  }
}

/** Conflicts with the kubelet, which writes its state into the same object, are taken up this often. */
const cordonAttempts = 10;

/** No new pods from here on. A replacement of the whole object: no patch content type to get wrong. */
async function cordon(api: CoreV1Api, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const node = await api.readNode({ name });
    if (node.spec?.unschedulable === true) {
      return;
    }
    const body = { ...node, spec: { ...node.spec, unschedulable: true } };
    try {
      await api.replaceNode({ name, body });
      return;
    } catch (error) {
      if (!hasStatus(error, 409) || attempt === cordonAttempts) {
        throw error;
      }
    }
  }
}

async function evictAll(api: CoreV1Api, removal: NodeRemoval): Promise<void> {
  const options = {
    what: `the pods on ${removal.name} to go`,
    timeoutSeconds: removal.drainTimeoutSeconds,
    pauseSeconds: 1,
    onChange: (seen: string) => say(`${removal.name}: ${seen}`),
  };
  await waitFor(options, async () => {
    const fieldSelector = `spec.nodeName=${removal.name}`;
    const { items } = await api.listPodForAllNamespaces({ fieldSelector });
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
async function evict(api: CoreV1Api, pod: V1Pod): Promise<string | undefined> {
  const { name, namespace } = pod.metadata ?? {};
  if (name === undefined || namespace === undefined || pod.metadata?.deletionTimestamp) {
    return undefined;
  }
  try {
    await api.createNamespacedPodEviction({
      name,
      namespace,
      body: { metadata: { name, namespace } },
    });
    return undefined;
  } catch (error) {
    return hasStatus(error, 404) ? undefined : apiMessage(error);
  }
}
