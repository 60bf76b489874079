import type { ExistingMachineArgs } from "../machine/existing/existing-machine.ts";
import { mediaFolder } from "./media-folder.ts";
import { programArtifacts, type WindowsSoftware } from "./software.ts";
import { scriptSeconds } from "./node-step.ts";
import { undoCommand } from "../../host/ssh/windows-command.ts";
import { reset } from "./steps.ts";
import { folderHash } from "../node/folder-hash.ts";
import { stepsSource } from "../node/steps-folder.ts";

export function machineReset(software: WindowsSoftware): ExistingMachineArgs["reset"] {
  return {
    seconds: scriptSeconds(reset.script),
    folder: `C:/kindows/steps/${folderHash(stepsSource)}`,
    reset: undoCommand("@folder@", reset),
    media: programArtifacts(software).flatMap(([, { origin, sha256 }]) =>
      origin === "image" || sha256 === undefined ? [] : [`${mediaFolder}/${sha256}`],
    ),
  };
}
