import * as pulumi from "@pulumi/pulumi";
import { remote } from "@pulumi/command";
import { deletedWith, type Machine, type WindowsShell } from "../machine/machine.ts";
import { scriptSeconds, type JoiningNode, type NodeStep, type Script } from "./node-step.ts";
import { inShell, scriptCommand, undoCommand } from "./remote-command.ts";
import { parseStepResult, type StepResult } from "./step-result.ts";
import { confirmReboot, nodeSteps } from "./steps.ts";
import type { StepsCopy } from "./steps-copy.ts";
import { existsSync } from "node:fs";
import { pushToMachine } from "../machine/push-to-machine.ts";
import { mediaFolder } from "./media-folder.ts";
import { programArtifacts, type ProgramName, type WindowsSoftware } from "./software.ts";

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

/**
 * Runs the steps that a machine needs.
 *
 * @param copy the copied scripts on the machine.
 * @param drain runs before updates of steps that may replace programs; it checks itself whether they change.
 */
export function runSteps(
  context: StepContext,
  node: JoiningNode,
  copy: StepsCopy,
  drain: pulumi.ResourceHook,
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
      ],
      ...(step.drains && { hooks: { beforeUpdate: [drain] } }),
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

/** A command for cmd.exe, as the machine's SSH server takes it. */
export function commandOn<T>(
  { shell = pulumi.output<WindowsShell>("cmd") }: Machine,
  values: pulumi.Input<T>,
  command: (known: pulumi.Unwrap<T>) => string,
): pulumi.Output<string> {
  return pulumi
    .all([shell, pulumi.output(values)])
    .apply(([known, all]) => inShell(known, command(all as pulumi.Unwrap<T>)));
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
      triggers: [machine.instanceId],
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

/** Time limit for pushing some hundred megabytes over a slow line. */
const pushSeconds = 1800;

/** The pushes to one machine, by program. Programs in the machine's image are not pushed. */
type PushedPrograms = Readonly<Partial<Record<ProgramName, pulumi.Resource>>>;

/**
 * Copies the programs from this host's cache to a machine, in parallel, into `C:\kindows\media\<sha256>`. The steps
 * that use them check them there. A preview needs none of the files and shows missing ones as unknown.
 *
 * @param dependsOn earlier steps, which create the folder's parent and reboot the machine.
 * @throws pulumi.ResourceError outside previews for a file that is not downloaded.
 */
function pushPrograms(
  context: StepContext,
  software: WindowsSoftware,
  dependsOn: readonly pulumi.Resource[],
): PushedPrograms {
  const pushes = programArtifacts(software).flatMap(([name, { uri, origin, sha256 }]) => {
    if (origin === "image") return [];
    const folder =
      origin.folder !== undefined && existsSync(origin.folder) ? origin.folder : undefined;
    if (folder === undefined && !pulumi.runtime.isDryRun()) {
      throw new pulumi.ResourceError(
        `${context.machine.name}: ${uri} is not in this host's cache: run \`./kindows fetch --stack <name>\``,
        context.parent,
      );
    }
    const push = pushToMachine(
      `${context.name}-push-${name.toLowerCase()}`,
      context.machine,
      {
        source: folder === undefined ? undefined : new pulumi.asset.FileArchive(folder),
        remotePath: mediaFolder,
        sha256: sha256 ?? "",
        limitSeconds: pushSeconds,
      },
      { parent: context.parent, dependsOn: [...dependsOn] },
    );
    return [[name, push] as const];
  });
  return Object.fromEntries(pushes);
}
