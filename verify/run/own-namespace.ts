import type { V1Pod, V1PodList } from "@kubernetes/client-node";

import { hasStatus, type ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { runProgram } from "../../host/run-program.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { readNodes } from "../cluster/snapshot.ts";
import { namespace } from "../objects/names.ts";
import { namespaceObject } from "../objects/workloads.ts";

/** Longest wait for the namespace to be created, or to be gone, in seconds. */
const createSeconds = 30;
const deleteSeconds = 300;
const applySeconds = 60;

const ownPath = `/api/v1/namespaces/${namespace}`;

/** Path of kubectl, and the kubeconfig of the cluster. */
export interface Kubectl {
  readonly kubectl: string;
  readonly kubeconfig: string;
}

/** Creates the namespace, after removing the one that a killed run or a run with --keep has left. */
export async function createNamespace(api: ClusterApi, say: (line: string) => void): Promise<void> {
  if (await api.find(ownPath)) {
    say(`removing the namespace ${namespace} that an earlier run left`);
    await removeNamespace(api, say);
  }
  await api.post("/api/v1/namespaces", namespaceObject());
  // Pods are refused until it exists.
  await waitUntil(
    { what: `the default service account of ${namespace}`, timeoutSeconds: createSeconds },
    async () => ({ found: await api.get(`${ownPath}/serviceaccounts/default`) }),
  );
}

/** Applies objects. @throws with the API server's reasons if it rejects one. */
export async function applyObjects(
  { kubectl, kubeconfig }: Kubectl,
  objects: readonly object[],
  what = "what the rows need",
): Promise<void> {
  if (objects.length === 0) return;
  const args = ["--kubeconfig", kubeconfig, "apply", "--filename", "-"];
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  const { how, reason } = await runProgram(kubectl, args, applySeconds, { input });
  if (how !== "well") throw new Error(`${what} could not be created: ${reason}`);
}

/**
 * Deletes the namespace with its content, and waits until it is gone.
 *
 * @throws if it is not gone in time, with what blocks it.
 */
export async function removeNamespace(
  api: ClusterApi,
  say: (line: string) => void,
  name = namespace,
  timeoutSeconds = deleteSeconds,
): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  await startDeleting(api, path);
  const options = {
    what: `the namespace ${name} to be gone`,
    timeoutSeconds,
    onChange: (seen: string) => say(`removing ${name}: ${seen}`),
  };
  await waitUntil(options, async () => {
    if ((await api.find(path)) === undefined) return undefined;
    const pods = await deleteLostPods(api, path);
    return pods.length === 0 ? "it is being deleted" : `still there: ${pods.join(", ")}`;
  });
}

/** Deletes an object, unless it is already gone or being deleted. */
export async function startDeleting(api: ClusterApi, path: string): Promise<void> {
  await api.delete(path).catch((error: unknown) => {
    if (!hasStatus(error, 409)) throw error;
  });
}

/**
 * Force-deletes pods on nodes that are not Ready, because nothing else would.
 *
 * @returns the names of all pods that were still in the namespace.
 */
async function deleteLostPods(api: ClusterApi, path: string): Promise<readonly string[]> {
  const [{ items }, nodes] = await Promise.all([
    api.get<V1PodList>(`${path}/pods`),
    readNodes(api),
  ]);
  const troubled = nodes.filter(({ trouble }) => trouble !== undefined).map(({ name }) => name);
  const lost = items.filter(
    ({ metadata, spec }) => metadata?.deletionTimestamp && troubled.includes(spec?.nodeName ?? ""),
  );
  const name = ({ metadata }: V1Pod): string => metadata?.name ?? "";
  await Promise.all(
    lost.map((pod) => api.delete(`${path}/pods/${name(pod)}?gracePeriodSeconds=0`)),
  );
  return items.map(name).sort();
}
