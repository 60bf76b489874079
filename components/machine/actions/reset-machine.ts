/**
 * Host action: restores the state that a machine had before it became a node, and removes what was copied to it. Does
 * nothing if the step scripts are gone, because the machine was reinstalled, or if the machine is gone for good
 * (KINDOWS_GONE).
 */
import { messageOf } from "../../../host/failure.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { onMachine } from "../dial-machine.ts";
import {
  accessKeysSchema,
  goneVariable,
  isGone,
  machineSchema,
  routeText,
} from "../existing/machine-parameter.ts";
import { claimFile } from "../existing/claim.ts";
import { RemoteFiles } from "../../../host/ssh/remote-files.ts";
import { runOnWindows } from "../../../host/ssh/windows-command.ts";

const stepsFolder = "C:/kindows/steps";
const mediaFolder = "C:/kindows/media";

export const environment = { MACHINE: machineSchema, KEYS: accessKeysSchema };

await runAction(environment, async ({ MACHINE: machine, KEYS: keys }) => {
  const { name, seconds, media } = machine;
  if (isGone(name)) {
    say(`${name} is gone for good, as ${goneVariable} says: nothing is reset on it`);
    return;
  }
  try {
    await onMachine(machine, keys, seconds, async (client, signal) => {
      const files = await RemoteFiles.open(client);
      const folder = await scriptsFolder(files, machine.folder);
      if (folder === undefined) {
        say(`${name}: the step scripts are gone, so it was reinstalled; nothing to reset`);
        return;
      }
      const { exitCode, stdout, stderr } = await runOnWindows(
        client,
        machine.reset.replaceAll("@folder@", folder.replaceAll("/", "\\")),
        signal,
      );
      if (exitCode !== 0) {
        const output = `${stdout.trim().slice(-2000)} ${stderr.trim().slice(-1000)}`.trim();
        throw new Error(`its reset ended with exit code ${exitCode}: ${output}`);
      }
      for (const copied of [stepsFolder, ...media]) {
        await files.remove(copied);
      }
      // Last of what the reset needs.
      await files.removeFile(claimFile);
      // The README was copied with the scripts. Other media, which an image may contain, stay.
      await files.removeFile(`${mediaFolder}/README.txt`);
      if ((await files.list(mediaFolder)).length === 0) {
        await files.remove(mediaFolder);
      }
      say(`${name} was reset`);
    });
  } catch (error) {
    throw new Error(
      `${routeText(machine)} could not be reset: ${messageOf(error)}. ` +
        `If it is gone for good or was reinstalled, run again with ${goneVariable}=${name} in the environment`,
    );
  }
});

/** Folder of the current scripts on the machine, or else of other scripts, which a killed run has left. */
async function scriptsFolder(files: RemoteFiles, current: string): Promise<string | undefined> {
  const all = await files.list(stepsFolder);
  const folders = [current, ...all.map(({ name }) => `${stepsFolder}/${name}`)];
  for (const folder of folders) {
    if (await files.exists(`${folder}/Reset-Node.ps1`)) return folder;
  }
  return undefined;
}
