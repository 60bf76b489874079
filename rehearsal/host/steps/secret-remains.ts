import { readdir } from "node:fs/promises";
import type { WindowsHost } from "../windows-host.ts";

export const stateFolder = "C:\\kindows\\state";
const configurationName = "join-configuration.json";
export const configurationPath = `${stateFolder}\\${configurationName}`;
export const joinRecordPath = `${stateFolder}\\join.json`;
const bootstrapConfig = "C:\\etc\\kubernetes\\bootstrap-kubelet.conf";

/** Removes what holds a join token and is not in use: called while no other step runs, so whoever wrote it is dead. */
export async function removeSecretRemains({ drive }: WindowsHost): Promise<void> {
  if (await drive.isFolder(stateFolder)) {
    // Also what the model's own way of writing files leaves in a power cut, beside the file.
    for (const name of await readdir(await drive.resolve(stateFolder))) {
      if (name.startsWith(configurationName)) await drive.remove(`${stateFolder}\\${name}`);
    }
  }
  if (await drive.isFile(joinRecordPath)) await drive.remove(bootstrapConfig);
}
