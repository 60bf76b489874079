import * as z from "zod";
import { clusterLabel, firstControlPlane } from "../../../config/names.ts";
import { messageOf } from "../../../host/failure.ts";
import { docker, labelledContainers, removeContainers } from "../../../host/docker.ts";
import { lines } from "../../../host/host.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { say } from "../../host-action/run-action.ts";
import { startWithAddresses } from "../kept-addresses.ts";
import {
  controlPlaneContainer,
  nodeStarted,
  type Worker,
  workerRunArgs,
} from "../worker-container.ts";
import { readInspected } from "../inspected.ts";
import { ensureClusterImages } from "./cluster-images.ts";

/** Longest wait for systemd in a container that has just started, in seconds. */
const startSeconds = 60;

const folder = "/kind";

/** Files in a worker's container: one from its start until its join begins, and one once its join has ended. */
const marks = { started: "kindows-started", joined: "kindows-complete" } as const;

type WorkerStage = keyof typeof marks;

/** Starts the container of a worker. One whose join was begun and has not ended is made again. */
export async function startWorker(worker: Worker): Promise<WorkerStage> {
  const { name } = worker;
  const all = await labelledContainers(`${clusterLabel}=${worker.cluster}`);
  if (all.includes(name)) {
    const stage = await stageOf(name, all);
    if (stage !== undefined) return stage;
    say(`removing the unfinished worker ${name}`);
    await removeContainers([name]);
  }
  await ensureClusterImages({ image: worker.image, controlPlanes: 1 });
  await startContainer(worker);
  await docker(["exec", name, "touch", `${folder}/${marks.started}`]);
  return "started";
}

export async function joinBegins(name: string): Promise<void> {
  await docker(["exec", name, "rm", `${folder}/${marks.started}`]);
}

export async function joinHasEnded(name: string): Promise<void> {
  await docker(["exec", name, "touch", `${folder}/${marks.joined}`]);
}

async function stageOf(name: string, all: readonly string[]): Promise<WorkerStage | undefined> {
  try {
    await startWithAddresses(docker, all, [name], say);
    const there = lines(await docker(["exec", name, "ls", folder]));
    if (there.includes(marks.joined)) return "joined";
    return there.includes(marks.started) ? "started" : undefined;
  } catch (error) {
    say(`the worker ${name} does not start: ${messageOf(error)}`);
    return undefined;
  }
}

async function startContainer(worker: Worker): Promise<void> {
  const { name } = worker;
  const first = firstControlPlane(worker.cluster);
  const described = await docker(["inspect", first]);
  const [sibling] = readInspected(described, z.tuple([controlPlaneContainer]), "container", first);
  say(`starting the container ${name}`);
  // Docker may have to pull the image.
  await docker(workerRunArgs(worker, sibling), { timeoutSeconds: 600 });
  const wait = { what: `systemd in the container ${name}`, timeoutSeconds: startSeconds };
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
