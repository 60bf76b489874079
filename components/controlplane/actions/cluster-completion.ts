import { createHash } from "node:crypto";

import { endpointHost, firstControlPlane } from "../../../config/names.ts";
import { messageOf } from "../../../host/failure.ts";
import type { ClusterShape } from "../kind-config.ts";
import { docker } from "../../../host/docker.ts";
import { say } from "../../host-action/run-action.ts";
import { waitUntil } from "../../../host/wait-until.ts";

/** File in the first control plane that is written last; its content tells clusters of different shapes apart. */
const markerFile = "/kind/kindows-complete";

/** Longest wait for the API server of a cluster whose containers were stopped, in seconds. */
const restartTimeoutSeconds = 180;

/**
 * Whether a cluster was made to its end, in this shape. Its containers are started if they were stopped.
 *
 * @throws when it was, but its API server does not answer: somebody's work may be in it, so it is not thrown away.
 */
export async function completeCluster(
  shape: ClusterShape,
  containers: readonly string[],
): Promise<boolean> {
  const first = firstControlPlane(shape.name);
  if (
    !containers.includes(first) ||
    !containers.includes(endpointHost(shape.name, shape.controlPlanes))
  ) {
    return false;
  }
  try {
    await docker(["start", ...containers], { timeoutSeconds: 120 });
    if ((await docker(["exec", first, "cat", markerFile])) !== fingerprint(shape)) {
      return false;
    }
  } catch (error) {
    say(messageOf(error));
    return false;
  }
  try {
    await waitUntil(
      {
        what: `the API server in the container ${first}`,
        timeoutSeconds: restartTimeoutSeconds,
        onChange: say,
      },
      async () => ({ found: await kubectl(shape.name, ["get", "--raw", "/readyz"]) }),
    );
  } catch (error) {
    throw new Error(
      `the cluster ${shape.name} is there but does not answer (${messageOf(error)}): ` +
        `look at \`docker logs ${first}\`, or remove it with \`kind delete cluster --name ${shape.name}\` and run this again`,
    );
  }
  return true;
}

/** What is left to do after `kind create cluster`; the marker comes last. */
export async function finishCluster(shape: ClusterShape): Promise<void> {
  await Promise.all([removeKindsToken(shape.name), removeTaints(shape.name)]);
  await docker(["exec", "--interactive", firstControlPlane(shape.name), "tee", markerFile], {
    input: fingerprint(shape),
  });
}

/** kind's bootstrap token is the same everywhere and lives for a day; ours are minted for each join. */
async function removeKindsToken(cluster: string): Promise<void> {
  await kubectl(cluster, [
    ...["--namespace", "kube-system", "delete", "secret", "bootstrap-token-abcdef"],
    "--ignore-not-found",
  ]);
}

/** Control planes take ordinary pods whatever the number of workers: those come and go by setting. */
async function removeTaints(cluster: string): Promise<void> {
  const taint = "node-role.kubernetes.io/control-plane";
  const tainted = await kubectl(cluster, [
    ...["get", "nodes", "--output"],
    `go-template={{range .items}}{{$n := .metadata.name}}{{range .spec.taints}}{{if eq .key "${taint}"}}{{$n}} {{end}}{{end}}{{end}}`,
  ]);
  const nodes = tainted.split(" ").filter((name) => name !== "");
  if (nodes.length > 0) {
    await kubectl(cluster, ["taint", "nodes", ...nodes, `${taint}-`]);
  }
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
