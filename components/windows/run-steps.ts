import * as pulumi from "@pulumi/pulumi";
import {
  inOrder,
  limits,
  remoteStep,
  type StepContext,
  type StepRun,
  type StepRuns,
} from "../node/remote-step.ts";
import { scriptSeconds, type JoiningNode, type NodeStep, type Script } from "./node-step.ts";
import { commandOn } from "./machine-command.ts";
import { type PushedPrograms, pushPrograms, pushScripts } from "./push-programs.ts";
import { scriptCommand, undoCommand } from "../../host/ssh/windows-command.ts";
import { confirmReboot, nodeSteps } from "./steps.ts";
import type { StepsCopy } from "./steps-copy.ts";
import { drainBeforeUpgrade } from "./upgrade-drain.ts";

/**
 * Runs the steps that a machine needs.
 *
 * @param copy the copied scripts on the machine.
 */
export function runSteps(
  context: StepContext,
  node: JoiningNode,
  copy: StepsCopy,
): StepRuns<NodeStep> {
  let pushed: PushedPrograms = {};
  return inOrder(context, copy.resource, nodeSteps, (step, before) => {
    const values = step.values(node);
    if (values === undefined) return undefined;
    const run = runStep(context, node, step, values, copy.folderOf, {
      dependsOn: [
        before,
        ...(step.needsCluster ? [node.controlPlane.resource] : []),
        ...(step.programs ?? []).flatMap((name) => pushed[name] ?? []),
        ...(step.scripts === undefined
          ? []
          : pushScripts(
              context,
              node.setup.ownScripts.filter(({ when }) => when === step.scripts),
              before,
            )),
      ],
      ...(step.drains && {
        hooks: { beforeUpdate: [drainBeforeUpgrade(context, node, step, values, step.drains)] },
      }),
    });
    // Pushed only after the reboot, which must not interrupt a copy.
    if (step === confirmReboot) pushed = pushPrograms(context, node.software, [run.command]);
    return run;
  });
}

/**
 * Creates the resource of one step. The step runs if it is new, if its script or a value changes, and on a new machine.
 * The machine may still be booting, so connecting is retried until the time limit.
 */
function runStep(
  context: StepContext,
  node: JoiningNode,
  step: NodeStep,
  values: NonNullable<ReturnType<NodeStep["values"]>>,
  folderOf: StepsCopy["folderOf"],
  order: pulumi.CustomResourceOptions,
): StepRun {
  const { stdin, undo } = step;
  const limit = (script: Script): string => `${scriptSeconds(script, node.timeouts)}s`;
  return remoteStep(
    context,
    step.name,
    {
      create: commandOn(context.machine, values, (known) =>
        scriptCommand(folderOf(step), step, known),
      ),
      delete:
        undo &&
        commandOn(context.machine, {}, () =>
          undo.script === undefined
            ? scriptCommand(folderOf(step), step, undo.values)
            : undoCommand(folderOf(undo.script), undo),
        ),
      stdin: stdin && pulumi.output(stdin(node)).apply((input) => JSON.stringify(input)),
    },
    { ...order, customTimeouts: limits(limit(step), limit(undo?.script ?? step)) },
  );
}
