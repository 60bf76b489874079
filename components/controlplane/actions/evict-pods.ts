import type { V1Pod, V1PodList } from "@kubernetes/client-node";

import { messageOf } from "../../../host/failure.ts";
import { podName, podsToEvict } from "../drain.ts";
import { hasStatus, type ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { waitUntil } from "../../../host/wait-until.ts";

/** A node's pods on their way to others. */
export interface Eviction {
  /** The node. */
  readonly name: string;
  /** Longest wait for its pods to go, in seconds. */
  readonly drainTimeoutSeconds: number;
  /** Called with a line of progress. */
  readonly say: (line: string) => void;
}

/** @throws when pods are left at the end of the time, naming them and what stood against their eviction. */
export async function evictPods(api: ClusterApi, eviction: Eviction): Promise<void> {
  const { name, drainTimeoutSeconds, say } = eviction;
  const options = {
    what: `the pods on ${name} to go`,
    timeoutSeconds: drainTimeoutSeconds,
    pollMilliseconds: 1000,
    onChange: (seen: string) => say(`${name}: ${seen}`),
  };
  await waitUntil(options, async () => {
    const { items } = await api.get<V1PodList>(
      `/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${name}`)}`,
    );
    const pods = podsToEvict(items);
    if (pods.length === 0) {
      return undefined;
    }
    const refusals = await Promise.all(pods.map((pod) => evict(api, pod)));
    const refusal = refusals.find((each) => each !== undefined);
    return `still there: ${pods.map(podName).join(", ")}${refusal ? ` (${refusal})` : ""}`;
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
