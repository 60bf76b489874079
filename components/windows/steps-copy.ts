import * as pulumi from "@pulumi/pulumi";
import { remote } from "@pulumi/command";
import type { Machine } from "../machine/machine.ts";
import { remoteSteps } from "./remote-steps.ts";
import { stageHome } from "./staged-home.ts";
import { remoteFolderOf, type StepFolder } from "./step-folders.ts";
import type { NodeTimeouts, Script } from "./node-step.ts";

/** What `C:/kindows` holds besides scripts and media: what they are for. Relative to the project. */
export const homeSource = "components/windows/home/";

/** What a person can do where tar.exe fails, whose own words name no remedy. */
const unpackRemedy =
  "The scripts could not be unpacked. Make room on drive C: where it is full, then run again.";

/** Command for cmd.exe that unpacks the archive of the steps where it lies; what is there already is overwritten. */
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
 * Brings the step scripts to a machine that may still be booting.
 *
 * They come in one archive, with the folders that hold scripts and media: over SSH two hundred small files take longer
 * than the steps themselves. Windows has its own `tar.exe` since 2018
 * (https://learn.microsoft.com/virtualization/community/team-blog/2017/20171219-tar-and-curl-come-to-windows).
 * Nothing that was there before is removed: whatever undoes a step of an earlier version runs that version's script.
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
      // The slash at the end: what is in the folder, not the folder itself.
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
