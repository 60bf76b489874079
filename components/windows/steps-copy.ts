import { readdirSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { remote } from "@pulumi/command";
import { onMachine, type StepContext } from "../node/remote-step.ts";
import { otherSteps } from "../node/step-title.ts";
import { stepTriggers } from "../node/step-trigger.ts";
import { ownFolder } from "../own-files.ts";
import { commandOn } from "./machine-command.ts";
import type { Script } from "./node-step.ts";
import { powerShellCommand } from "../../host/ssh/windows-command.ts";
import { stageHome } from "./stage-home.ts";
import { remoteFolderOf, type StepFolder } from "./step-folders.ts";
import { remoteSteps } from "../node/steps-folder.ts";

export const homeSource = ownFolder("windows/home/");

/** Rights as `Protect-Folder -UsersRead $true` gives them (lib/ProtectedFile.ps1), by the SIDs there. */
const rights = ["S-1-5-18:(OI)(CI)F", "S-1-5-32-544:(OI)(CI)F", "S-1-5-32-545:(OI)(CI)RX"];

/**
 * Command for cmd.exe after which only SYSTEM and administrators can change the folder's content. SFTP gives new folders
 * the rights of drive C:, where every user may put files.
 */
function protectCommand(folder: string): string {
  const grants = rights.map((each) => `"*${each}"`).join(" ");
  return `icacls.exe C:\\kindows\\${folder} /q /inheritance:r /grant:r ${grants}`;
}

/** icacls.exe's and tar.exe's own errors have no remedy. */
const unpackRemedy =
  "The scripts could not be unpacked. Make room on drive C: where it is full, then run again.";

/**
 * Command for cmd.exe that protects the copied folders, unpacks the archive of the steps into its folder, overwriting
 * existing files, and flushes them to the disk. Otherwise a power cut could leave empty scripts, which no later run would unpack again.
 */
export function unpackCommand(archive: string): string {
  const unpack = `tar.exe -xf ${remoteSteps}\\${archive} -C ${remoteSteps}`;
  // A failed flush is ignored: it only matters after a power cut.
  const flush = powerShellCommand("try { Write-VolumeCache -DriveLetter C } catch { }; exit 0");
  const commands = [...readdirSync(homeSource).sort().map(protectCommand), unpack, flush];
  return `${commands.join(" && ")} || (echo ${unpackRemedy}>&2& exit 1)`;
}

export interface StepsCopy {
  readonly resource: pulumi.Resource;
  readonly folderOf: (script: Pick<Script, "name">) => string;
}

/**
 * Copies the step scripts to a machine that may still be booting.
 *
 * The scripts are in one archive, because copying two hundred small files over SSH takes longer than the steps
 * themselves. Windows has had `tar.exe` since 2018
 * (https://learn.microsoft.com/virtualization/community/team-blog/2017/20171219-tar-and-curl-come-to-windows). Existing
 * scripts are not removed, because a step of an earlier version is undone by that version's script.
 */
export function copySteps(
  context: StepContext,
  folders: ReadonlyMap<string, StepFolder>,
  bootSeconds: number,
): StepsCopy {
  const { folder, archive } = stageHome(homeSource, folders.values());
  const { name, machine } = context;
  const home = new remote.CopyToRemote(
    `${name}-home`,
    {
      connection: machine.connection,
      // With a slash at the end, the folder's content is copied, not the folder itself.
      source: new pulumi.asset.FileArchive(`${folder}/`),
      remotePath: "C:/kindows",
      triggers: stepTriggers(machine, otherSteps.copyScripts),
    },
    { ...onMachine(context, bootSeconds), dependsOn: [machine.resource] },
  );
  const steps = new remote.Command(
    `${name}-steps`,
    {
      connection: machine.connection,
      create: commandOn(machine, {}, () => unpackCommand(archive)),
      triggers: stepTriggers(machine, otherSteps.unpackScripts),
      addPreviousOutputInEnv: false,
    },
    { ...onMachine(context, 300), dependsOn: [home] },
  );
  return { resource: steps, folderOf: (script) => remoteFolderOf(folders, script) };
}
