import type { ExistingMachineArgs } from "../components/machine/existing/existing-machine.ts";
import { mediaFolder } from "../components/windows/media-folder.ts";
import { resetCommand } from "../components/windows/reset-command.ts";
import { mediaOf, type WindowsSoftware } from "../components/windows/software.ts";
import { defaultTimeouts, stepSeconds } from "../components/windows/step-timeouts.ts";
import { folderHash, remoteStepsFolder, stepsSource } from "../components/windows/steps-folder.ts";

/** How a machine is made what it was before Windows nodes' steps ran on it. */
export function machineReset(software: WindowsSoftware): ExistingMachineArgs["reset"] {
  return {
    seconds: stepSeconds("Reset-Node", defaultTimeouts),
    folder: remoteStepsFolder(folderHash(stepsSource)).sftpPath,
    reset: resetCommand("@folder@"),
    media: mediaOf(software).flatMap(([, { origin, sha256 }]) =>
      origin === "image" || sha256 === undefined ? [] : [`${mediaFolder}/${sha256}`],
    ),
  };
}
