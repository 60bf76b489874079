import * as pulumi from "@pulumi/pulumi";
import { remote } from "@pulumi/command";
import type { Machine } from "../machine/machine.ts";
import { folderHash, remoteStepsFolder, stepsSource } from "./steps-folder.ts";
import type { NodeTimeouts } from "./step-timeouts.ts";

/** What `C:/kindows` holds besides scripts and media: what they are for. Relative to the project. */
const homeSource = "components/windows/home/";

/** The step scripts on a machine. */
export interface StepsCopy {
  readonly resource: pulumi.Resource;
  /** Folder of the scripts on the machine, as Windows writes it. */
  readonly windowsPath: string;
}

/**
 * Copies the step scripts to a machine that may still be booting.
 *
 * In two copies, since one makes a single folder that is missing, not its parents: first `C:/kindows` with the folders
 * `steps` and `media` in it, then the folder that is named by the scripts' hash.
 */
export function copySteps(
  name: string,
  machine: Machine,
  timeouts: NodeTimeouts,
  parent: pulumi.Resource,
): StepsCopy {
  const folder = remoteStepsFolder(folderHash(stepsSource));
  const options = (seconds: number): pulumi.CustomResourceOptions => ({
    parent,
    deletedWith: machine.resource,
    deleteBeforeReplace: true,
    customTimeouts: { create: `${seconds}s`, update: `${seconds}s` },
  });
  const home = new remote.CopyToRemote(
    `${name}-home`,
    {
      connection: machine.connection,
      source: new pulumi.asset.FileArchive(homeSource),
      remotePath: "C:/kindows",
      triggers: [machine.instanceId],
    },
    { ...options(timeouts.bootSeconds), dependsOn: [machine.resource] },
  );
  const steps = new remote.CopyToRemote(
    `${name}-steps`,
    {
      connection: machine.connection,
      // The slash at the end: what is in the folder, not the folder itself.
      source: new pulumi.asset.FileArchive(`${stepsSource}/`),
      remotePath: folder.sftpPath,
      triggers: [machine.instanceId],
    },
    { ...options(300), dependsOn: [home] },
  );
  return { resource: steps, windowsPath: folder.windowsPath };
}
