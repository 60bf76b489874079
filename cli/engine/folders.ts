import path from "node:path";
import { chmod, mkdir } from "node:fs/promises";

import { localFolder, projectRoot } from "../../toolchain/project.ts";

/** Name of the project in Pulumi.yaml: part of the state's paths. */
export const projectName = "kindows";

/** What the engine calls its home: plugins, credentials, logs. */
export const pulumiHome = path.join(localFolder, "pulumi");

/** The engine's file backend. */
export const stateFolder = path.join(localFolder, "state");

/** The settings file of a stack, as people write it. */
export function settingsFile(stack: string): string {
  return path.join(projectRoot, `Pulumi.${stack}.yaml`);
}

/** Folder of what a stack hands to people: kubeconfig, SSH key, known hosts. */
export function stackFolder(stack: string): string {
  return path.join(localFolder, stack);
}

/** The state of a stack; exists from the stack's creation on. */
export function stateFile(stack: string): string {
  return path.join(stateFolder, ".pulumi", "stacks", projectName, `${stack}.json`);
}

/** Folder in which the engine locks a stack. */
export function lockFolder(stack: string): string {
  return path.join(stateFolder, ".pulumi", "locks", "organization", projectName, stack);
}

/** Lock of the `kindows` command that works on a stack, wider than the engine's own. */
export function runLockFile(stack: string): string {
  return path.join(localFolder, "locks", `run-${stack}.lock`);
}

/** Lock of the `kindows verify` that works in a stack's cluster; `up` and `down` go on beside it. */
export function verifyLockFile(stack: string): string {
  return path.join(localFolder, "locks", `verify-${stack}.lock`);
}

/**
 * Address of a file backend for `PULUMI_BACKEND_URL`.
 *
 * The blob library below the engine keeps a file of attributes beside each of its own, which it fills in place: an
 * engine that was killed while it did so left an empty one, and every later command failed with "failed to load
 * checkpoint: EOF". The engine does not need them (gocloud.dev/blob/fileblob, URL parameter `metadata`). What remains
 * is written beside its place and moved there.
 *
 * @param folder absolute path.
 */
export function backendUrl(folder: string): string {
  return `file://${folder}?metadata=skip`;
}

/** Makes what the engine keeps in this clone, for its owner's eyes only; what is there stays. */
export async function ensureLocalState(): Promise<void> {
  for (const folder of [localFolder, stateFolder, pulumiHome]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
}
