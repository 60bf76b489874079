import * as pulumi from "@pulumi/pulumi";
import { remote } from "@pulumi/command";
import { shellWord } from "../../host/shell-word.ts";
import type { Machine } from "../machine/machine.ts";
import { parseStepResult, type StepResult } from "../windows/step-result.ts";
import { folderHash } from "../windows/steps-folder.ts";

/** Folder of the step scripts, relative to the project, so that state is the same in every clone of it. */
export const linuxStepsSource = "components/linux/steps/";

/** The scripts there are. */
export type LinuxStepName = "prepare-host" | "install-programs" | "join-node" | "reset-node";

/** Where steps run. */
export interface LinuxStepContext {
  /** Stem of the resources' names. */
  readonly name: string;
  readonly machine: Machine;
  readonly parent: pulumi.Resource;
}

/** One run of a step script. */
export interface LinuxStepRun {
  readonly values: pulumi.Input<readonly string[]>;
  /** Seconds after which Pulumi gives it up; the script ends earlier by its own limits. */
  readonly seconds: number;
  /** Standard input; must be secret where it holds secrets. */
  readonly stdin?: pulumi.Output<string>;
  /** Step that undoes this one where the machine stays. Without: nothing to undo. */
  readonly undo?: LinuxStepName;
  readonly dependsOn: readonly pulumi.Resource[];
}

/** A step that runs on the machine, and what it reports. */
export interface LinuxStep {
  readonly command: remote.Command;
  readonly result: pulumi.Output<StepResult>;
}

/** Where this version's scripts lie on a machine; older ones stay, whatever undoes a step of theirs runs them. */
function remoteSteps(): string {
  return `/var/lib/kindows-steps-${folderHash(linuxStepsSource)}`;
}

/** The command line that runs a step. */
export function linuxStepCommand(step: LinuxStepName, values: readonly string[]): string {
  return ["sh", `${remoteSteps()}/${step}.sh`, ...values.map(shellWord)].join(" ");
}

/** Brings the step scripts to a machine that may still be booting. */
export function copyLinuxSteps(
  { name, machine, parent }: LinuxStepContext,
  bootSeconds: number,
): pulumi.Resource {
  const limit = `${bootSeconds}s`;
  return new remote.CopyToRemote(
    `${name}-steps`,
    {
      connection: machine.connection,
      // The slash at the end: what is in the folder, not the folder itself.
      source: new pulumi.asset.FileArchive(linuxStepsSource),
      remotePath: remoteSteps(),
      triggers: [machine.instanceId],
    },
    {
      parent,
      dependsOn: [machine.resource],
      deletedWith: machine.resource,
      deleteBeforeReplace: true,
      customTimeouts: { create: limit, update: limit },
    },
  );
}

/**
 * One step script as a resource: run when it is new, when a script or a value changes, and on a new machine. The machine
 * may still be booting: dialling goes on until the time limit.
 */
export function linuxStep(
  { name, machine, parent }: LinuxStepContext,
  step: LinuxStepName,
  run: LinuxStepRun,
): LinuxStep {
  const limit = `${run.seconds}s`;
  const command = new remote.Command(
    `${name}-${step}`,
    {
      connection: machine.connection,
      create: pulumi.output(run.values).apply((values) => linuxStepCommand(step, values)),
      delete: run.undo && linuxStepCommand(run.undo, []),
      stdin: run.stdin,
      triggers: [machine.instanceId],
      logging: "none",
      // sshd takes none of the client's environment.
      addPreviousOutputInEnv: false,
    },
    {
      parent,
      dependsOn: [...run.dependsOn],
      deletedWith: machine.resource,
      deleteBeforeReplace: true,
      customTimeouts: { create: limit, update: limit, delete: limit },
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
