import * as pulumi from "@pulumi/pulumi";
import { stepCommand } from "./step-command.ts";
import { stepSeconds } from "./step-timeouts.ts";
import { windowsStep, type StepContext, type WindowsStep } from "./windows-step.ts";

/** A way to one of the cluster's ranges. */
export interface ClusterRoute {
  /** IPv4 range in CIDR form: of pods, or of Services. */
  readonly range: string;
  /** IPv4 address of a Linux node on a segment of the machine, which carries packets on. */
  readonly nextHop: string;
}

/** Routes of a machine without a pod network; taken off it when they are not asked for any more. */
export function clusterRoutes(
  context: StepContext,
  routes: pulumi.Input<readonly ClusterRoute[]>,
  after: WindowsStep,
): WindowsStep {
  return windowsStep(context, "Set-ClusterRoute", {
    values: pulumi.output(routes).apply((known) => ({ Route: renderRoutes(known) })),
    undo: stepCommand(context.folderOf("Set-ClusterRoute"), "Set-ClusterRoute", { Route: "" }),
    undoSeconds: stepSeconds("Set-ClusterRoute", context.timeouts),
    dependsOn: [after.command],
  });
}

/** Routes as Set-ClusterRoute takes them. */
export function renderRoutes(routes: readonly ClusterRoute[]): string {
  return routes.map(({ range, nextHop }) => `${range}=${nextHop}`).join(";");
}
