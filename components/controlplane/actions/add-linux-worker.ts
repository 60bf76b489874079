/**
 * Host action: adds a Linux worker to an existing kind cluster, which kind itself cannot do, and waits until it is
 * Ready. A worker that has already joined is kept; an unfinished one is created again.
 */
import type { V1Node } from "@kubernetes/client-node";
import { messageOf } from "../../../host/failure.ts";
import { giveImages } from "../../image-archives/give-images.ts";
import { caCertHash } from "../../../host/kubernetes/ca-cert-hash.ts";
import { trustCertificates } from "../trust-certificates.ts";
import { trustRegistry } from "../trust-registry.ts";
import { type Worker, workerSchema } from "../worker-container.ts";
import { workerJoinConfig } from "../worker-join-config.ts";
import { awaitReadyNode, awaitRegisteredNode } from "./node-waits.ts";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { joinBegins, joinHasEnded, startWorker } from "./start-worker.ts";
import { containerAddress, docker, removeContainers } from "../../../host/docker.ts";
import { keepAddresses } from "../kept-addresses.ts";
import { mintToken, revokeToken, tokenId } from "../join-token.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";

export const environment = { KUBECONFIG_CONTENT: text, WORKER: workerSchema };

/** Longest join, in seconds. */
const joinSeconds = 180;

/** Longest wait for the Node of a worker that has joined, in seconds. */
const registerSeconds = 60;

/** On a tmpfs, so that the token never reaches a disk. */
const joinFile = "/run/kindows-join.yaml";

await runAction(environment, async ({ KUBECONFIG_CONTENT: kubeconfig, WORKER: worker }) => {
  const { name, imageArchives = [], certificates, registry } = worker;
  const api = new ClusterApi(kubeconfig);
  let stage = await startWorker(worker);
  if (stage === "joined" && (await api.find<V1Node>(`/api/v1/nodes/${name}`)) === undefined) {
    say(`the worker ${name} has joined, but is not in the cluster: making it again`);
    await removeContainers([name]);
    stage = await startWorker(worker);
  }
  if (certificates !== undefined) await trustCertificates([name], certificates);
  if (registry !== undefined) await trustRegistry([name], registry);
  // It has them already, unless its container is newer than the action that gives them to all nodes.
  await giveImages([name], imageArchives);
  if (stage === "joined") {
    say(`the worker ${name} has joined already`);
  } else {
    await deleteStaleNode(name, api);
    await joinBegins(name);
    await join(worker, kubeconfig, api);
    await keepAddresses([name], worker.network);
    await joinHasEnded(name);
  }
  if (worker.readySeconds === undefined) await awaitRegisteredNode(api, name, registerSeconds);
  else await awaitReadyNode(api, name, worker.readySeconds);
});

/** Deletes the Node of an earlier container, which would be mistaken for the new worker's. */
async function deleteStaleNode(name: string, api: ClusterApi): Promise<void> {
  try {
    const isRemoved = await api.delete(`/api/v1/nodes/${name}`);
    if (isRemoved) say(`removed the node ${name} of an earlier container`);
  } catch (error) {
    throw new Error(`the earlier node ${name} could not be deleted: ${messageOf(error)}`);
  }
}

async function join(worker: Worker, kubeconfig: string, api: ClusterApi): Promise<void> {
  const { name, cluster, endpoint } = worker;
  const token = await mintToken(api, { ttlMinutes: 10, description: `kindows: join of ${name}` });
  try {
    const input = workerJoinConfig({
      name,
      cluster,
      endpoint,
      token,
      address: await containerAddress(name, worker.network),
      caCertHash: caCertHash(kubeconfig),
    });
    const write = `umask 077 && cat > ${joinFile}`;
    await docker(["exec", "--interactive", name, "bash", "-c", write], { input });
    say(`joining ${name}`);
    const limit = { timeoutSeconds: joinSeconds };
    await docker(["exec", name, "kubeadm", "join", "--config", joinFile], limit);
    await docker(["exec", name, "rm", joinFile]);
  } finally {
    // The token is used up or no longer needed. It would expire by itself within minutes.
    const why = await revokeToken(api, tokenId(token));
    if (why !== undefined) say(`the join token stays for 10 minutes: ${why}`);
  }
}
