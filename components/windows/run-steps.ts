import * as pulumi from "@pulumi/pulumi";
import { remote } from "@pulumi/command";
import type { Machine } from "../machine/machine.ts";
import { scriptSeconds, type JoiningNode, type NodeStep, type Script } from "./node-step.ts";
import { pushPrograms, type PushedPrograms } from "./push-programs.ts";
import { scriptCommand, undoCommand } from "./step-command.ts";
import { parseStepResult, type StepResult } from "./step-result.ts";
import { confirmReboot, joinNode, nodeSteps } from "./steps.ts";
import type { StepsCopy } from "./steps-copy.ts";

/** Where steps run. */
export interface StepContext {
  /** Stem of the resources' names. */
  readonly name: string;
  readonly machine: Machine;
  readonly parent: pulumi.Resource;
}

/** A step that runs on the machine, and its result. */
export interface StepRun {
  readonly command: remote.Command;
  readonly result: pulumi.Output<StepResult>;
}

/** The steps of a machine. */
export interface StepRuns {
  /** A step that every machine has. */
  of(step: NodeStep): StepRun;
  /** The last of all. */
  readonly last: remote.Command;
}

/**
 * Runs the steps that a machine needs, one after the other.
 *
 * @param copy the scripts on the machine.
 * @param drain runs before programs may be replaced; checks itself whether they change.
 */
export function runSteps(
  context: StepContext,
  node: JoiningNode,
  copy: StepsCopy,
  drain: pulumi.ResourceHook,
): StepRuns {
  const runs = new Map<NodeStep, StepRun>();
  let pushed: PushedPrograms = {};
  let before = copy.resource;
  for (const step of nodeSteps) {
    const values = step.values(node);
    if (values === undefined) continue;
    const run = runStep(context, node, step, values, copy.folderOf, {
      dependsOn: [
        before,
        ...(step.needsCluster ? [node.controlPlane.resource] : []),
        ...(step.programs ?? []).flatMap((name) => pushed[name] ?? []),
      ],
      ...(step.drains && { hooks: { beforeUpdate: [drain] } }),
    });
    // Not earlier: nothing else may be running when the machine reboots.
    if (step === confirmReboot) pushed = pushPrograms(context, node.software, [run.command]);
    runs.set(step, run);
    before = run.command;
  }
  const of = (step: NodeStep): StepRun => {
    const run = runs.get(step);
    if (run === undefined) {
      throw new pulumi.ResourceError(
        `${node.machine.name} goes without ${step.name}`,
        context.parent,
      );
    }
    return run;
  };
  return { of, last: ([...runs.values()].at(-1) ?? of(joinNode)).command };
}

/**
 * One step as a resource. It runs if it is new, if the script or a value changes, and on a new machine.
 * The machine may still be booting, so connecting is retried until the time limit.
 */
function runStep(
  { name, machine, parent }: StepContext,
  node: JoiningNode,
  step: NodeStep,
  values: NonNullable<ReturnType<NodeStep["values"]>>,
  folderOf: StepsCopy["folderOf"],
  order: pulumi.CustomResourceOptions,
): StepRun {
  const { stdin, undo } = step;
  const limit = (script: Script): string => `${scriptSeconds(script, node.timeouts)}s`;
  const command = new remote.Command(
    `${name}-${step.name.toLowerCase()}`,
    {
      connection: machine.connection,
      create: pulumi.output(values).apply((known) => scriptCommand(folderOf(step), step, known)),
      delete:
        undo?.script === undefined
          ? undo && scriptCommand(folderOf(step), step, undo.values)
          : undoCommand(folderOf(undo.script), undo),
      stdin:
        stdin && pulumi.secret(pulumi.output(stdin(node)).apply((input) => JSON.stringify(input))),
      triggers: [machine.instanceId],
      logging: "none",
      // Win32-OpenSSH refuses environment variables.
      addPreviousOutputInEnv: false,
    },
    {
      parent,
      deletedWith: machine.resource,
      deleteBeforeReplace: true,
      ...order,
      customTimeouts: {
        create: limit(step),
        update: limit(step),
        delete: limit(undo?.script ?? step),
      },
    },
  );
  return {
    command,
    // Standard output is secret because the connection is, but a result contains no secrets.
    result: pulumi
      .unsecret(command.stdout)
      .apply((stdout) => parseStepResult(step.name, machine.name, stdout)),
  };
}
