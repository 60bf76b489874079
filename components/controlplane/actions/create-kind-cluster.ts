/**
 * Host action: creates a kind cluster, or keeps one that is complete and has the wanted shape, and prints its
 * kubeconfig; secret.
 */
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
import { reachableKubeconfig } from "../../../host/kubernetes/kubeconfig.ts";
import { keepAddresses, startWithAddresses } from "../kept-addresses.ts";
import { createTimeoutSeconds, removeCluster, withCluster } from "./remove-cluster.ts";
import { ensureClusterImages } from "./cluster-images.ts";

/** File in the first control plane that is written last. It contains a hash of the cluster's shape. */
const markerFile = "/kind/kindows-complete";

/** Longest wait for the API server of a cluster whose containers were stopped, in seconds. */
const restartTimeoutSeconds = 180;

/**
 * Whether the cluster is complete and has this shape. Starts its containers if they were stopped.
 *
 * @throws if it is complete but its API server does not answer. The cluster is not replaced then, because it may
 * contain somebody's work.
 */
async function completeCluster(
  shape: ClusterShape,
  containers: readonly string[],
): Promise<boolean> {
  const first = firstControlPlane(shape.name);
  const needed = [first, endpointHost(shape.name, shape.controlPlanes)];
  if (needed.some((name) => !containers.includes(name))) return false;
  try {
    await startWithAddresses(docker, containers, containers, say);
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
      `the cluster ${shape.name} exists but does not answer (${messageOf(error)}): ` +
        `look at \`docker logs ${first}\`, or remove it with \`kind delete cluster --name ${shape.name}\` and run this again`,
    );
  }
  return true;
}

async function finishCluster(shape: Shape): Promise<void> {
  // kind's bootstrap token is the same everywhere and valid for a day. Ours are minted for each join.
  const removal = ["delete", "secret", "bootstrap-token-abcdef", "--ignore-not-found"];
  await kubectl(shape.name, ["--namespace", "kube-system", ...removal]);
  await removeTaints(shape.name);
  const containers = await labelledContainers(`${clusterLabel}=${shape.name}`);
  await keepAddresses(containers, shape.network);
  await docker(["exec", "--interactive", firstControlPlane(shape.name), "tee", markerFile], {
    input: fingerprint(shape),
  });
}

/** Lets control planes run ordinary pods. The number of workers does not matter, because it can change later. */
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
 * Errors that happen on a busy machine and not on a second try: Docker's runtime cannot enter a container, or etcd's
 * short time limits pass while a second control plane joins.
 */
const transient = /OCI runtime exec failed|failed to join node with kubeadm/;

await runAction(environment, ({ CLUSTER: shape }) =>
  withCluster(shape.name, () => ensureCluster(shape)),
);

async function ensureCluster(shape: Shape): Promise<string> {
  const present = await labelledContainers(`${clusterLabel}=${shape.name}`);
  if (present.length > 0 && (await completeCluster(shape, present))) {
    say(`the cluster ${shape.name} exists and is complete`);
  } else {
    if (present.length > 0) say(`replacing the unfinished or different cluster ${shape.name}`);
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
    // The certificate contains a single control plane's address, but only the name of a load balancer.
    serverName: shape.controlPlanes === 1 ? undefined : endpoint,
  });
}

async function kindCreateWithRetry(shape: Shape): Promise<void> {
  try {
    await kindCreate(shape);
  } catch (error) {
    const message = messageOf(error);
    if (!transient.test(message)) throw error;
    say(`${message}\nThis may be temporary: creating the cluster once more.`);
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
    // kind is killed with this process. Otherwise it would go on and remove what the next run creates.
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
      throw new Error(`kind create cluster failed (${how}):\n${errorLines(done.all)}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function kindProgram(): Promise<string> {
  const kind = builtSoFar().tools["kind"] ?? (await findOnPath("kind", process.env["PATH"] ?? ""));
  if (kind === undefined) {
    throw new Error(
      "kind was not found: run `./kindows prepare`, or put it on the PATH (https://kind.sigs.k8s.io)",
    );
  }
  return kind;
}

/** kind's error lines, and the end of its output, where the program that failed in a node says why. */
function errorLines(output: string): string {
  const lines = output.trim().split("\n");
  const errors = lines.filter((line) => /^(ERROR|error|fatal|panic)/.test(line));
  return [...new Set([...errors, ...lines.slice(-12)])].join("\n");
}
