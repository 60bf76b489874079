/**
 * Host action: adds a Linux worker to an existing kind cluster, which kind itself cannot do, and waits until it is
 * Ready. A worker that has already joined is kept; an unfinished one is created again.
 */
import type { V1Node } from "@kubernetes/client-node";
import * as z from "zod";
import { messageOf } from "../../../host/failure.ts";
import { giveImages } from "../../image-archives/give-images.ts";
import { caCertHash } from "../../../kubernetes/ca-cert-hash.ts";
import { clusterLabel, firstControlPlane } from "../../../config/names.ts";
import {
  controlPlaneContainer,
  nodeStarted,
  type Worker,
  workerRunArgs,
  workerSchema,
} from "../worker-container.ts";
import { workerJoinConfig } from "../worker-join-config.ts";
import { awaitReadyNode } from "./node-waits.ts";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { ensureClusterImages } from "./cluster-images.ts";
import {
  labelledContainers,
  containerAddress,
  docker,
  removeContainers,
} from "../../../host/docker.ts";
import { checkedJson } from "../../../toolchain/parse-json.ts";
import { mintToken, revokeToken, tokenId } from "../join-token.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";
import { waitUntil } from "../../../host/wait-until.ts";

export const environment = { KUBECONFIG_CONTENT: text, WORKER: workerSchema };

const timeouts = { start: 60, join: 180 };

const markerFile = "/kind/kindows-complete";

/** On a tmpfs, so that the token never reaches a disk. */
const joinFile = "/run/kindows-join.yaml";

await runAction(environment, async ({ KUBECONFIG_CONTENT: kubeconfig, WORKER: worker }) => {
  const { name, imageArchives = [] } = worker;
  const api = new ClusterApi(kubeconfig);
  const present = (await labelledContainers(`${clusterLabel}=${worker.cluster}`)).includes(name);
  if (present && (await hasJoined(name, api))) {
    say(`the worker ${name} has joined already`);
    await giveImages([name], imageArchives);
  } else {
    if (present) {
      say(`removing the unfinished worker ${name}`);
      await removeContainers([name]);
    }
    await deleteStaleNode(name, api);
    await ensureClusterImages({ image: worker.image, controlPlanes: 1 });
    await startContainer(worker);
    await giveImages([name], imageArchives);
    await join(worker, kubeconfig, api);
    await docker(["exec", name, "touch", markerFile]);
  }
  await awaitReadyNode(api, name, worker.readySeconds);
});

async function hasJoined(name: string, api: ClusterApi): Promise<boolean> {
  try {
    await docker(["start", name]);
    await docker(["exec", name, "test", "-e", markerFile]);
    await api.get<V1Node>(`/api/v1/nodes/${name}`);
    return true;
  } catch (error) {
    say(`the worker ${name} has not joined: ${messageOf(error)}`);
    return false;
  }
}

/** Deletes the Node of an earlier container, which would be mistaken for the new worker's. */
async function deleteStaleNode(name: string, api: ClusterApi): Promise<void> {
  try {
    const isRemoved = await api.delete(`/api/v1/nodes/${name}`);
    if (isRemoved) say(`removed the node ${name} of an earlier container`);
  } catch (error) {
    throw new Error(`the earlier node ${name} could not be deleted: ${messageOf(error)}`);
  }
}

async function startContainer(worker: Worker): Promise<void> {
  const { name } = worker;
  const first = firstControlPlane(worker.cluster);
  const [sibling] = checkedJson(
    await docker(["inspect", first]),
    z.tuple([controlPlaneContainer]),
    `what Docker says of the container ${first}`,
    `look at it with \`docker inspect ${first}\``,
  );
  say(`starting the container ${name}`);
  // Docker may have to pull the image.
  await docker(workerRunArgs(worker, sibling), { timeoutSeconds: 600 });
  const wait = { what: `systemd in the container ${name}`, timeoutSeconds: timeouts.start };
  await waitUntil(wait, async () => {
    const log = await docker(["logs", "--tail", "200", name]);
    return nodeStarted.test(log) ? undefined : (log.trim().split("\n").at(-1) ?? "an empty log");
  });
  // kind has patched containerd's configuration for this host on the control plane; workers need the same one.
  const config = "/etc/containerd/config.toml";
  const wanted = await docker(["exec", first, "cat", config]);
  if ((await docker(["exec", name, "cat", config])) !== wanted) {
    const input = `${wanted}\n`;
    await docker(["exec", "--interactive", name, "cp", "/dev/stdin", config], { input });
    const restart = "! pgrep --exact containerd || systemctl restart containerd";
    await docker(["exec", name, "bash", "-c", restart]);
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
    const timeoutSeconds = timeouts.join;
    await docker(["exec", name, "kubeadm", "join", "--config", joinFile], { timeoutSeconds });
    await docker(["exec", name, "rm", joinFile]);
  } finally {
    // The token is used up or no longer needed. It would expire by itself within minutes.
    const why = await revokeToken(api, tokenId(token));
    if (why !== undefined) say(`the join token stays for 10 minutes: ${why}`);
  }
}
