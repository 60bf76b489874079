import { setTimeout } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";

/** Longest waits, in seconds: for pods to be evicted, and for the cluster's kubeconfig to be known. */
const drainSeconds = 120;
const kubeconfigSeconds = 300;

/**
 * Drains a joined node before a step replaces programs that its pods depend on. This is a hook, not a resource, because
 * a step would wait for a resource even in a first `up`, where preparing a machine must not wait for a cluster. The
 * engine calls the hook only before an update, never for a new machine. `await-node` uncordons the node. The versions
 * are among its inputs, so it runs after the upgrade, even in a later `up` if this one is killed.
 *
 * @param host name of the machine and its node.
 */
export function drainBeforeUpgrade(
  name: string,
  host: string,
  kubeconfig: pulumi.Output<string>,
  parent: pulumi.Resource,
): pulumi.ResourceHook {
  return new pulumi.ResourceHook(`${name}-drain`, async ({ oldInputs, newInputs }) => {
    if (!replacesPrograms(oldInputs?.["create"], newInputs?.["create"])) return;
    const say = (line: string): void => {
      void pulumi.log.info(line, parent);
    };
    const content = await Promise.race([
      new Promise<string>((resolve) => void kubeconfig.apply(resolve)),
      setTimeout(kubeconfigSeconds * 1000, undefined, { ref: false }),
    ]);
    if (content === undefined) {
      say(
        `the cluster does not exist after ${kubeconfigSeconds} s: ${host} is upgraded without draining it`,
      );
      return;
    }
    // Loaded only if there is something to drain.
    const { ClusterApi } = await import("../../kubernetes/cluster-api.ts");
    const { drainForUpgrade } = await import("../controlplane/drain.ts");
    const api = new ClusterApi(content, 10);
    await drainForUpgrade(api, { name: host, drainTimeoutSeconds: drainSeconds, say });
  });
}

/** Parameters of a step that determine which programs it installs. */
const pattern = /-(?:Version|ArchiveSha256|KubeletSha256|KubeLogRunnerSha256) (\S+)/g;

/**
 * Whether a changed command of a step replaces programs that a node's pods depend on: containerd or kubelet. An edited
 * script or another mirror does not.
 */
export function replacesPrograms(before: unknown, now: unknown): boolean {
  return programs(before) !== programs(now);
}

function programs(command: unknown): string {
  return typeof command === "string"
    ? [...command.matchAll(pattern)].map(([, value]) => value).join(" ")
    : "";
}
