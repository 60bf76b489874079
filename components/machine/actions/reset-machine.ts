/**
 * Host action: makes a machine what it was before it became a node, and removes what was copied to it. Nothing happens on
 * one where the step scripts are gone, as somebody has reinstalled it, or that is gone for good (KINDOWS_GONE).
 */
import { messageOf } from "../../../host/failure.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { onMachine } from "../dial-machine.ts";
import {
  accessKeysSchema,
  goneVariable,
  isGone,
  machineSchema,
  wayText,
} from "../existing/machine-parameter.ts";
import { RemoteFiles } from "../../../ssh/remote-files.ts";
import { runOn } from "../../../ssh/run-over-ssh.ts";

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
      const { exitCode, stdout, stderr } = await runOn(
        client,
        machine.reset.replaceAll("@folder@", folder.replaceAll("/", "\\")),
        signal,
      );
      if (exitCode !== 0) {
        const said = `${stdout.trim().slice(-2000)} ${stderr.trim().slice(-1000)}`.trim();
        throw new Error(`its reset ended with exit code ${exitCode}: ${said}`);
      }
      for (const copied of [stepsFolder, ...media]) {
        await files.remove(copied);
      }
      // It came with the scripts. Media of somebody else's, which an image may carry, stay.
      await files.removeFile(`${mediaFolder}/README.txt`);
      if ((await files.list(mediaFolder)).length === 0) {
        await files.remove(mediaFolder);
      }
      say(`${name} is what it was before`);
    });
  } catch (error) {
    throw new Error(
      `${wayText(machine)} could not be reset: ${messageOf(error)}. ` +
        `If it is gone for good or was reinstalled, run again with ${goneVariable}=${name} in the environment`,
    );
  }
});

/** The current scripts; else others, which a killed run has left there. */
async function scriptsFolder(files: RemoteFiles, current: string): Promise<string | undefined> {
  const others = await files.list(stepsFolder);
  const folders = [current, ...others.map(({ name }) => `${stepsFolder}/${name}`)];
  for (const folder of folders) {
    if (await files.exists(`${folder}/Reset-Node.ps1`)) return folder;
  }
  return undefined;
}
