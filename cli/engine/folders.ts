import path from "node:path";
import { chmod, mkdir } from "node:fs/promises";

import { localFolder, projectRoot, pulumiHome } from "../../toolchain/project.ts";

/** Name of the project in Pulumi.yaml: part of the state's paths. */
export const projectName = "kindows";

/** Folder of the default backend. */
export const stateFolder = path.join(localFolder, "state");

export function settingsFile(stack: string): string {
  return path.join(projectRoot, `Pulumi.${stack}.yaml`);
}

/** The stack of a settings file, by its name; undefined for other files. */
export function stackOf(file: string): string | undefined {
  return /^Pulumi\.([A-Za-z0-9_.-]+)\.yaml$/.exec(file)?.[1];
}

/** Folder of a stack's access files: kubeconfig, SSH key, known hosts. */
export function stackFolder(stack: string): string {
  return path.join(localFolder, stack);
}

/** State file of a stack in the default backend; exists once the stack has been created. */
export function stateFile(stack: string): string {
  return path.join(stateFolder, ".pulumi", "stacks", projectName, `${stack}.json`);
}

/** Folder of the engine's locks of a stack in the default backend. */
export function lockFolder(stack: string): string {
  return path.join(stateFolder, ".pulumi", "locks", "organization", projectName, stack);
}

/**
 * Address of a file backend for `PULUMI_BACKEND_URL`.
 *
 * `metadata=skip` keeps the engine's blob library from writing a file of attributes beside each file, which the engine
 * does not need (gocloud.dev/blob/fileblob). Only these files are not written atomically: an engine that was killed
 * left an empty one, and every later command failed with "failed to load checkpoint: EOF".
 *
 * @param folder absolute path.
 */
export function backendUrl(folder: string): string {
  return `file://${folder}?metadata=skip`;
}

/** Creates the engine's folders in this clone, readable by their owner only; existing ones stay. */
export async function ensureLocalState(): Promise<void> {
  for (const folder of [localFolder, stateFolder, pulumiHome]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
}
