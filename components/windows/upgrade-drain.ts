import * as pulumi from "@pulumi/pulumi";
import { replacesPrograms } from "./program-change.ts";

/** Longest waits, in seconds: for pods to be moved away, and for the cluster's kubeconfig to be known. */
const drainSeconds = 120;
const kubeconfigSeconds = 300;

/**
 * Drains a joined node from the cluster's side before a step replaces programs that its pods live on.
 *
 * A hook, since no resource can do it: whatever the step depended on for this it would wait for in a first `up` as well,
 * and preparing a machine does not wait for a cluster. The engine calls it before an update in place only, never where
 * a machine is new. What is closed here, `await-node` opens again: the versions are among its inputs, so it runs after
 * the upgrade, also in the `up` after one that was killed.
 *
 * @param host name of machine and node.
 */
export function drainBeforeUpgrade(
  name: string,
  host: string,
  kubeconfig: pulumi.Output<string>,
  parent: pulumi.Resource,
): pulumi.ResourceHook {
  return new pulumi.ResourceHook(`${name}-drain`, async ({ oldInputs, newInputs }) => {
    if (!replacesPrograms(oldInputs?.["create"], newInputs?.["create"])) {
      return;
    }
    const say = (line: string): void => {
      void pulumi.log.info(line, parent);
    };
    const content = await known(kubeconfig, kubeconfigSeconds);
    if (content === undefined) {
      say(
        `the cluster is not there after ${kubeconfigSeconds} s: ${host} is upgraded with its pods`,
      );
      return;
    }
    // Loaded where there is something to drain only.
    const { ClusterApi } = await import("../../kubernetes/cluster-api.ts");
    const { drainForUpgrade } = await import("../controlplane/actions/drain-for-upgrade.ts");
    const api = new ClusterApi(content, 10);
    await drainForUpgrade(api, { name: host, drainTimeoutSeconds: drainSeconds, say });
  });
}

/** An output's value; undefined when it is not known in time. */
function known<T>(output: pulumi.Output<T>, seconds: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), seconds * 1000);
    output.apply((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}
