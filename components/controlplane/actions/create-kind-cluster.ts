import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import type * as z from "zod";
import { clusterLabel, endpointHost, firstControlPlane } from "../../../config/names.ts";
import { messageOf } from "../../../host/failure.ts";
import { clusterSchema, type ClusterShape, hostTraits, kindConfig } from "../kind-config.ts";
import { containerAddress, docker, labelledContainers } from "../../../host/docker.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { builtSoFar } from "../../../toolchain/built.ts";
import { findOnPath } from "../../../host/search-path.ts";
import { reachableKubeconfig } from "../../../kubernetes/kubeconfig.ts";
import { createTimeoutSeconds, removeCluster, withCluster } from "./remove-cluster.ts";
import { ensureClusterImages } from "./cluster-images.ts";

/** File in the first control plane that is written last; its content tells clusters of different shapes apart. */
const markerFile = "/kind/kindows-complete";

/** Longest wait for the API server of a cluster whose containers were stopped, in seconds. */
const restartTimeoutSeconds = 180;

/**
 * Whether a cluster was made to its end, in this shape. Its containers are started if they were stopped.
 *
 * @throws when it was, but its API server does not answer: somebody's work may be in it, so it is not thrown away.
 */
async function completeCluster(
  shape: ClusterShape,
  containers: readonly string[],
): Promise<boolean> {
  const first = firstControlPlane(shape.name);
  const needed = [first, endpointHost(shape.name, shape.controlPlanes)];
  if (needed.some((name) => !containers.includes(name))) return false;
  try {
    await docker(["start", ...containers], { timeoutSeconds: 120 });
    if ((await docker(["exec", first, "cat", markerFile])) !== fingerprint(shape)) return false;
  } catch (error) {
    say(messageOf(error));
    return false;
  }
  try {
    const what = `the API server in the container ${first}`;
    const options = { what, timeoutSeconds: restartTimeoutSeconds, onChange: say };
    await waitUntil(options, async () => ({
      found: await kubectl(shape.name, ["get", "--raw", "/readyz"]),
    }));
  } catch (error) {
    throw new Error(
      `the cluster ${shape.name} is there but does not answer (${messageOf(error)}): ` +
        `look at \`docker logs ${first}\`, or remove it with \`kind delete cluster --name ${shape.name}\` and run this again`,
    );
  }
  return true;
}

async function finishCluster(shape: ClusterShape): Promise<void> {
  // kind's bootstrap token is the same everywhere and lives for a day; ours are minted for each join.
  const removal = ["delete", "secret", "bootstrap-token-abcdef", "--ignore-not-found"];
  await kubectl(shape.name, ["--namespace", "kube-system", ...removal]);
  await removeTaints(shape.name);
  await docker(["exec", "--interactive", firstControlPlane(shape.name), "tee", markerFile], {
    input: fingerprint(shape),
  });
}

/** Control planes take ordinary pods whatever the number of workers: those come and go by setting. */
async function removeTaints(cluster: string): Promise<void> {
  const taint = "node-role.kubernetes.io/control-plane";
  const tainted = await kubectl(cluster, [
    ...["get", "nodes", "--output"],
    `go-template={{range .items}}{{$n := .metadata.name}}{{range .spec.taints}}{{if eq .key "${taint}"}}{{$n}} {{end}}{{end}}{{end}}`,
  ]);
  const nodes = tainted.split(" ").filter((name) => name !== "");
  if (nodes.length > 0) await kubectl(cluster, ["taint", "nodes", ...nodes, `${taint}-`]);
}

function kubectl(cluster: string, args: readonly string[]): Promise<string> {
  return docker([
    ...["exec", firstControlPlane(cluster), "kubectl", "--kubeconfig=/etc/kubernetes/admin.conf"],
    ...["--request-timeout=15s", ...args],
  ]);
}

function fingerprint(shape: ClusterShape): string {
  const sorted = Object.entries(shape).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}

export const environment = { CLUSTER: clusterSchema };

type Shape = z.infer<typeof clusterSchema>;

/**
 * What fails on a busy machine and not the next time: Docker's runtime entering a container, and etcd's short time
 * limits while a second control plane joins.
 */
const transient = /OCI runtime exec failed|failed to join node with kubeadm/;

await runAction(environment, ({ CLUSTER: shape }) =>
  withCluster(shape.name, () => ensureCluster(shape)),
);

async function ensureCluster(shape: Shape): Promise<string> {
  const present = await labelledContainers(`${clusterLabel}=${shape.name}`);
  if (present.length > 0 && (await completeCluster(shape, present))) {
    say(`the cluster ${shape.name} is there and complete`);
  } else {
    if (present.length > 0) say(`there is a half-made or different cluster ${shape.name}`);
    await removeCluster(shape.name);
    await ensureClusterImages(shape);
    await kindCreateWithRetry(shape);
    await finishCluster(shape);
  }
  const endpoint = endpointHost(shape.name, shape.controlPlanes);
  const [admin, address] = await Promise.all([
    docker(["exec", firstControlPlane(shape.name), "cat", "/etc/kubernetes/admin.conf"]),
    containerAddress(endpoint, shape.network),
  ]);
  return reachableKubeconfig(admin, {
    name: shape.name,
    address,
    // A control plane's own address is in its certificate; the load balancer's is not, only its name.
    serverName: shape.controlPlanes === 1 ? undefined : endpoint,
  });
}

async function kindCreateWithRetry(shape: Shape): Promise<void> {
  try {
    await kindCreate(shape);
  } catch (error) {
    const message = messageOf(error);
    if (!transient.test(message)) throw error;
    say(`${message}\nThis may pass: making the cluster once more.`);
    await removeCluster(shape.name);
    await kindCreate(shape);
  }
}

async function kindCreate(shape: Shape): Promise<void> {
  const info = await docker(["info", "--format", "{{json .}}"]);
  const traits = hostTraits(info, await readFile("/proc/self/status", "utf8"));
  const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-cluster-"));
  try {
    const config = path.join(folder, "kind.yaml");
    await writeFile(config, kindConfig(shape, traits));
    // kind goes with this process: one that lives on would remove what the next run makes.
    const args = [
      ...["--pdeathsig", "KILL", await kindProgram(), "create", "cluster"],
      ...["--config", config, "--kubeconfig", path.join(folder, "kubeconfig")],
    ];
    const kind = execa("setpriv", args, {
      env: { KIND_EXPERIMENTAL_DOCKER_NETWORK: shape.network, KUBECONFIG: undefined },
      timeout: createTimeoutSeconds * 1000,
      stdin: "ignore",
      reject: false,
      all: true,
    });
    kind.all.on("data", (chunk: Buffer) => {
      for (const [, step] of chunk.toString().matchAll(/^ • (.*?)[^\w)]*\.\.\.$/gm)) {
        say(`kind: ${step}`);
      }
    });
    const done = await kind;
    if (done.failed) {
      const how = done.timedOut ? "time limit" : `exit code ${done.exitCode}`;
      throw new Error(`kind create cluster failed (${how}):\n${lastWords(done.all)}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function kindProgram(): Promise<string> {
  const kind = builtSoFar().tools["kind"] ?? (await findOnPath("kind", process.env["PATH"] ?? ""));
  if (kind === undefined) {
    throw new Error(
      "there is no kind: run `./kindows prepare`, or put it on the PATH (https://kind.sigs.k8s.io)",
    );
  }
  return kind;
}

/** kind's own error, and the end of what the program that failed in a node wrote. */
function lastWords(output: string): string {
  const lines = output.trim().split("\n");
  const errors = lines.filter((line) => /^(ERROR|error|fatal|panic)/.test(line));
  return [...new Set([...errors, ...lines.slice(-12)])].join("\n");
}
