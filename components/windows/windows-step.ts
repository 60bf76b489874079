import * as pulumi from "@pulumi/pulumi";
import { remote } from "@pulumi/command";
import type { Machine } from "../machine/machine.ts";
import { stepCommand } from "./step-command.ts";
import type { StepArguments, StepName } from "./step-parameters.ts";
import { parseStepResult, type StepResult } from "./step-result.ts";
import { stepSeconds, type NodeTimeouts } from "./step-timeouts.ts";

/** Where steps run. */
export interface StepContext {
  /** Stem of the resources' names. */
  readonly name: string;
  readonly machine: Machine;
  /** Folder of a step on the machine, e.g. `C:\kindows\steps\Join-Node-0123456789ab`. */
  readonly folderOf: (step: StepName) => string;
  readonly timeouts: NodeTimeouts;
  readonly parent: pulumi.Resource;
}

/** One run of a step script. */
export interface StepRun<S extends StepName> {
  readonly values: pulumi.Input<StepArguments<S>>;
  /** Standard input; must be secret where it holds secrets. */
  readonly stdin?: pulumi.Output<string>;
  /** Step that undoes this one where the machine stays. Without: nothing to undo. */
  readonly undo?: string;
  /** Seconds the undoing may take. */
  readonly undoSeconds?: number;
  /** Runs before the step is run again on a machine where it has been. */
  readonly beforeUpdate?: pulumi.ResourceHook;
  readonly dependsOn: readonly pulumi.Resource[];
}

/** A step that runs on the machine, and what it reports. */
export interface WindowsStep {
  readonly command: remote.Command;
  readonly result: pulumi.Output<StepResult>;
}

/**
 * One step script as a resource: run when it is new, when the script or a value changes, and on a new machine.
 *
 * The machine may still be booting: dialling goes on until the time limit.
 */
export function windowsStep<S extends StepName>(
  context: StepContext,
  step: S,
  run: StepRun<S>,
): WindowsStep {
  const { machine } = context;
  const seconds = stepSeconds(step, context.timeouts);
  const command = new remote.Command(
    `${context.name}-${step.toLowerCase()}`,
    {
      connection: machine.connection,
      create: pulumi
        .output(run.values)
        .apply((values) => stepCommand(context.folderOf(step), step, values as StepArguments<S>)),
      delete: run.undo,
      stdin: run.stdin,
      triggers: [machine.instanceId],
      logging: "none",
      // Win32-OpenSSH refuses environment requests.
      addPreviousOutputInEnv: false,
    },
    {
      parent: context.parent,
      dependsOn: [...run.dependsOn],
      deletedWith: machine.resource,
      deleteBeforeReplace: true,
      ...(run.beforeUpdate && { hooks: { beforeUpdate: [run.beforeUpdate] } }),
      customTimeouts: {
        create: `${seconds}s`,
        update: `${seconds}s`,
        delete: `${run.undoSeconds ?? seconds}s`,
      },
    },
  );
  return {
    command,
    // Standard output counts as secret because the connection is; a result holds no secrets.
    result: pulumi
      .unsecret(command.stdout)
      .apply((stdout) => parseStepResult(step, machine.name, stdout)),
  };
}
