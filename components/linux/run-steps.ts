import { existsSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { remote } from "@pulumi/command";
import { shellWord } from "../../host/shell-word.ts";
import type { ImageArchive } from "../image-archives/image-archive.ts";
import { ownFolder } from "../own-files.ts";
import { pushToMachine } from "../machine/push-to-machine.ts";
import { otherSteps } from "../node/step-title.ts";
import { stepTriggers } from "../node/step-trigger.ts";
import { machineJoinConfig } from "../controlplane/worker-join-config.ts";
import {
  inOrder,
  limits,
  onMachine,
  remoteStep,
  type StepContext,
  type StepRun,
  type StepRuns,
} from "../node/remote-step.ts";
import { folderHash } from "../node/folder-hash.ts";
import {
  linuxBootSeconds,
  linuxSteps,
  remoteArchive,
  remoteImages,
  type JoiningLinuxNode,
  type LinuxPrograms,
  type LinuxStep,
} from "./steps.ts";

/** Longest time for copying the programs, in seconds. Emulated machines need most of it. */
const pushSeconds = 1800;

const linuxStepsSource = ownFolder("linux/steps/");

/** Folder of this version's scripts on a machine. Older folders stay, because they are needed to undo their steps. */
function remoteSteps(): string {
  return `/var/lib/kindows-steps-${folderHash(linuxStepsSource)}`;
}

function scriptCommand(name: string, values: readonly string[]): string {
  return ["sh", `${remoteSteps()}/${name}.sh`, ...values.map(shellWord)].join(" ");
}

/** Copies the step scripts to a machine that may still be booting. */
function copySteps(context: StepContext): pulumi.Resource {
  const { connection, resource } = context.machine;
  return new remote.CopyToRemote(
    `${context.name}-steps`,
    {
      connection,
      // The path ends with a slash, so the folder's content is copied, not the folder itself.
      source: new pulumi.asset.FileArchive(linuxStepsSource),
      remotePath: remoteSteps(),
      triggers: stepTriggers(context.machine, otherSteps.copyScripts),
    },
    { ...onMachine(context, linuxBootSeconds), dependsOn: [resource] },
  );
}

export function runLinuxSteps(context: StepContext, node: JoiningLinuxNode): StepRuns<LinuxStep> {
  return inOrder(context, copySteps(context), linuxSteps, (step, before) => {
    const values = step.values(node);
    if (values === undefined) return undefined;
    return runStep(context, node, step, values, [
      before,
      ...(step.needsPrograms ? [pushPrograms(context, node.programs, before)] : []),
      ...(step.needsImages ? pushImages(context, node.imageArchives, before) : []),
      ...(step.needsCluster ? [node.controlPlane.resource] : []),
    ]);
  });
}

/**
 * A step as a resource. It runs if it is new, if a script or a value changes, and on a new machine. Connecting is
 * retried until the time limit, because the machine may still be booting.
 */
function runStep(
  context: StepContext,
  node: JoiningLinuxNode,
  step: LinuxStep,
  values: NonNullable<ReturnType<LinuxStep["values"]>>,
  dependsOn: pulumi.Resource[],
): StepRun {
  return remoteStep(
    context,
    step.name,
    {
      create: pulumi.output(values).apply((known) => scriptCommand(step.name, known)),
      delete: step.undo && scriptCommand(step.undo, []),
      stdin: step.joinConfig && pulumi.output(step.joinConfig(node)).apply(machineJoinConfig),
    },
    { dependsOn, customTimeouts: limits(`${step.seconds}s`) },
  );
}

/** Copies the archive from this host to a machine. The step that unpacks it checks its SHA-256. */
function pushPrograms(
  { name, machine, parent }: StepContext,
  { path, sha256 }: LinuxPrograms,
  after: pulumi.Resource,
): pulumi.Resource {
  if (path === undefined && !pulumi.runtime.isDryRun()) {
    throw new pulumi.ResourceError(
      `${machine.name}: the programs for Linux nodes are not built: run \`./kindows prepare\``,
      parent,
    );
  }
  return pushToMachine(
    `${name}-push-programs`,
    machine,
    {
      source: path === undefined ? undefined : new pulumi.asset.FileAsset(path),
      remotePath: remoteArchive,
      sha256,
      limitSeconds: pushSeconds,
    },
    { parent, dependsOn: [after] },
  );
}

/** Copies archives of images to a machine. The step that imports them checks their SHA-256, and removes them. */
function pushImages(
  { name, machine, parent }: StepContext,
  archives: readonly ImageArchive[],
  after: pulumi.Resource,
): pulumi.Resource[] {
  return archives.map((archive) =>
    pushToMachine(
      `${name}-push-images-${archive.sha256.slice(0, 12)}`,
      machine,
      {
        source: existsSync(archive.path) ? new pulumi.asset.FileAsset(archive.path) : undefined,
        remotePath: remoteImages(archive),
        sha256: archive.sha256,
        limitSeconds: pushSeconds,
      },
      { parent, dependsOn: [after] },
    ),
  );
}
