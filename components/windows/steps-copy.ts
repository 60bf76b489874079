import * as pulumi from "@pulumi/pulumi";
import { remote } from "@pulumi/command";
import type { Machine } from "../machine/machine.ts";
import { ownFolder } from "../own-files.ts";
import { remoteSteps } from "./remote-steps.ts";
import { stageHome } from "./staged-home.ts";
import { remoteFolderOf, type StepFolder } from "./step-folders.ts";
import type { NodeTimeouts, Script } from "./node-step.ts";

/** README for `C:/kindows`. */
export const homeSource = ownFolder("windows/home/");

/** Remedy if tar.exe fails, as its errors have none. */
const unpackRemedy =
  "The scripts could not be unpacked. Make room on drive C: where it is full, then run again.";

/** Command for cmd.exe that unpacks the archive of the steps into its folder, overwriting existing files. */
export function unpackCommand(archive: string): string {
  const unpack = `tar.exe -xf ${remoteSteps}\\${archive} -C ${remoteSteps}`;
  return `${unpack} || (echo ${unpackRemedy}>&2& exit 1)`;
}

/** The step scripts on a machine. */
export interface StepsCopy {
  readonly resource: pulumi.Resource;
  readonly folderOf: (script: Pick<Script, "name">) => string;
}

/**
 * Copies the step scripts to a machine that may still be booting.
 *
 * They are in one archive, with the folders of scripts and media, as copying two hundred small files over SSH takes longer
 * than the steps themselves. Windows has had `tar.exe` since 2018
 * (https://learn.microsoft.com/virtualization/community/team-blog/2017/20171219-tar-and-curl-come-to-windows).
 * Existing scripts are not removed: a step of an earlier version is undone by that version's script.
 */
export function copySteps(
  name: string,
  machine: Machine,
  folders: ReadonlyMap<string, StepFolder>,
  timeouts: NodeTimeouts,
  parent: pulumi.Resource,
): StepsCopy {
  const { folder, archive } = stageHome(homeSource, folders.values());
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
      // With a slash at the end, the folder's content is copied, not the folder itself.
      source: new pulumi.asset.FileArchive(`${folder}/`),
      remotePath: "C:/kindows",
      triggers: [machine.instanceId],
    },
    { ...options(timeouts.bootSeconds), dependsOn: [machine.resource] },
  );
  const steps = new remote.Command(
    `${name}-steps`,
    {
      connection: machine.connection,
      create: unpackCommand(archive),
      triggers: [machine.instanceId],
      addPreviousOutputInEnv: false,
    },
    { ...options(300), dependsOn: [home] },
  );
  return { resource: steps, folderOf: (script) => remoteFolderOf(folders, script) };
}
