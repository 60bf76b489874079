import type { ExistingMachineArgs } from "../components/machine/existing/existing-machine.ts";
import { mediaFolder } from "../components/windows/media-folder.ts";
import { programArtifacts, type WindowsSoftware } from "../components/windows/software.ts";
import { scriptSeconds } from "../components/windows/node-step.ts";
import { undoCommand } from "../components/windows/step-command.ts";
import { reset } from "../components/windows/steps.ts";
import { folderHash, remoteStepsFolder, stepsSource } from "../components/windows/steps-folder.ts";

/** How to reset a machine to what it was before the steps of Windows nodes. */
export function machineReset(software: WindowsSoftware): ExistingMachineArgs["reset"] {
  return {
    seconds: scriptSeconds(reset.script),
    folder: remoteStepsFolder(folderHash(stepsSource)).sftpPath,
    reset: undoCommand("@folder@", reset),
    media: programArtifacts(software).flatMap(([, { origin, sha256 }]) =>
      origin === "image" || sha256 === undefined ? [] : [`${mediaFolder}/${sha256}`],
    ),
  };
}
