import { setTimeout } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import type { StepContext } from "../node/remote-step.ts";
import { stepFacts } from "../node/step-result.ts";
import type { JoiningNode, NodeStep } from "./node-step.ts";

type StepValues = NonNullable<ReturnType<NodeStep["values"]>>;

/** Longest waits, in seconds: for pods to be evicted, and for the cluster's kubeconfig to be known. */
const drainSeconds = 120;
const kubeconfigSeconds = 300;

/**
 * Drains a joined node before a step replaces programs that its pods depend on. This is a hook, not a resource, because
 * a step would wait for a resource even in a first `up`, where preparing a machine must not wait for a cluster. The
 * engine calls the hook only before an update, never for a new machine. `await-node` uncordons the node. The versions
 * are among its inputs, so it runs after the upgrade, even in a later `up` if this one is killed.
 */
export function drainBeforeUpgrade(
  { name, machine, parent }: StepContext,
  { controlPlane }: Pick<JoiningNode, "controlPlane">,
  step: Pick<NodeStep, "name">,
  values: StepValues,
  drains: readonly string[],
): pulumi.ResourceHook {
  return new pulumi.ResourceHook(
    `${name}-${step.name.toLowerCase()}-drain`,
    async ({ oldOutputs }) => {
      const installed = stepFacts(String(await known(oldOutputs?.["stdout"])));
      if (!replacesPrograms(installed, await known(values), drains)) return;
      const say = (line: string): void => {
        void pulumi.log.info(line, parent);
      };
      const kubeconfig = await Promise.race([
        known(controlPlane.kubeconfig),
        setTimeout(kubeconfigSeconds * 1000, undefined, { ref: false }),
      ]);
      if (kubeconfig === undefined) {
        say(
          `the cluster does not exist after ${kubeconfigSeconds} s: ${machine.name} is upgraded without draining it`,
        );
        return;
      }
      // Loaded only if there is something to drain.
      const { ClusterApi } = await import("../../host/kubernetes/cluster-api.ts");
      const { drainForUpgrade } = await import("../controlplane/drain.ts");
      const api = new ClusterApi(kubeconfig, 10);
      await drainForUpgrade(api, { name: machine.name, drainTimeoutSeconds: drainSeconds, say });
    },
  );
}

function known<T>(value: pulumi.Input<T>): Promise<pulumi.Unwrap<T>> {
  return new Promise((resolve) => void pulumi.output(value).apply(resolve));
}

/**
 * Whether a step replaces programs that a node's pods depend on: containerd or kubelet. An edited script or another
 * mirror does not; a step that has not reported what it installed does.
 *
 * @param installed facts that the step reported when it last ran.
 * @param values arguments of the step now.
 */
export function replacesPrograms(
  installed: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, unknown>>,
  drains: readonly string[],
): boolean {
  return drains.some((name) => installed[factOf(name)] !== values[name]);
}

/** The name of a parameter's fact: `version` for `Version`. */
function factOf(parameter: string): string {
  return parameter.slice(0, 1).toLowerCase() + parameter.slice(1);
}
