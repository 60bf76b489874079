import * as pulumi from "@pulumi/pulumi";
import { remote } from "@pulumi/command";
import { deletedWith, type Machine } from "../machine/machine.ts";
import { parseStepResult, type StepResult } from "./step-result.ts";
import { stepTriggers } from "./step-trigger.ts";

export interface StepContext {
  /** Prefix of the resources' names. */
  readonly name: string;
  readonly machine: Machine;
  readonly parent: pulumi.Resource;
}

export interface StepRun {
  readonly command: remote.Command;
  readonly result: pulumi.Output<StepResult>;
}

export interface StepRuns<Step> {
  /** @throws pulumi.ResourceError if this machine skips the step. */
  of(step: Step): StepRun;
  readonly last: pulumi.Resource;
}

/**
 * Runs steps one after the other.
 *
 * @param run creates the resource of a step, which waits for the previous one; returns undefined if the machine skips
 * the step.
 */
export function inOrder<Step extends { readonly name: string }>(
  { machine, parent }: StepContext,
  first: pulumi.Resource,
  steps: readonly Step[],
  run: (step: Step, before: pulumi.Resource) => StepRun | undefined,
): StepRuns<Step> {
  const runs = new Map<Step, StepRun>();
  let before = first;
  for (const step of steps) {
    const stepRun = run(step, before);
    if (stepRun === undefined) continue;
    runs.set(step, stepRun);
    before = stepRun.command;
  }
  const of = (step: Step): StepRun => {
    const stepRun = runs.get(step);
    if (stepRun !== undefined) return stepRun;
    throw new pulumi.ResourceError(`${machine.name} skips the step ${step.name}`, parent);
  };
  return { of, last: before };
}

/** The command of one step on a Linux or Windows machine, and its result. Standard input is secret. */
export function remoteStep(
  { name, machine, parent }: StepContext,
  step: string,
  { stdin, ...commands }: Pick<remote.CommandArgs, "create" | "delete" | "stdin">,
  order: pulumi.CustomResourceOptions,
): StepRun {
  const command = new remote.Command(
    `${name}-${step.toLowerCase()}`,
    {
      connection: machine.connection,
      ...commands,
      stdin: stdin && pulumi.secret(stdin),
      triggers: stepTriggers(machine, step),
      logging: "none",
      // Neither Win32-OpenSSH nor cloud images' sshd take environment variables.
      addPreviousOutputInEnv: false,
    },
    { parent, ...deletedWith(machine), deleteBeforeReplace: true, ...order },
  );
  return {
    command,
    // Standard output is secret because the connection is, but a result contains no secrets.
    result: pulumi
      .unsecret(command.stdout)
      .apply((stdout) => parseStepResult(step, machine.name, stdout)),
  };
}

/** Options of a resource on a machine. It is not deleted by itself when the machine is removed. */
export function onMachine(
  { machine, parent }: StepContext,
  seconds: number,
): pulumi.CustomResourceOptions {
  return {
    parent,
    ...deletedWith(machine),
    deleteBeforeReplace: true,
    customTimeouts: limits(`${seconds}s`),
  };
}

export function limits(run: string, undo = run): pulumi.CustomTimeouts {
  return { create: run, update: run, delete: undo };
}
