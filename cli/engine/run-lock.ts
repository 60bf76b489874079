import path from "node:path";

import { ownCache } from "../../toolchain/own-cache.ts";
import { livingOwner, withLock } from "../../toolchain/cache-lock.ts";
import { Failure, exitCodes } from "../../host/failure.ts";
import { localFolder } from "../../toolchain/project.ts";
import { chosenBackend } from "./backend.ts";

/** Lock of the `kindows` command that works on a stack; held longer than the engine's own. */
export const runLockFile = (stack: string): string => lockFile(`run-${stack}`);

/** Lock of the `kindows verify` that works in a stack's cluster; it does not keep `up` and `down` from running. */
export const verifyLockFile = (stack: string): string => lockFile(`verify-${stack}`);

/** The lock is this clone's, or shared by this user's clones, which may share a backend. */
function lockFile(name: string): string {
  const folder = chosenBackend() === undefined ? localFolder : path.join(ownCache(), "labs");
  return path.join(folder, "locks", `${name}.lock`);
}

/** Runs `work` as the only `kindows` command that changes the stack. @throws at once if another one is running. */
export function asOnlyRun<T>(stack: string, work: () => Promise<T>): Promise<T> {
  return asHolderOf(runLockFile(stack), `works on the stack ${stack}`, work);
}

/**
 * Runs `work` while no other `kindows` command holds the lock.
 *
 * @param activity what the lock's holder does, for the error message, e.g. `works on the stack dev`.
 * @throws at once if another one holds it.
 */
export async function asHolderOf<T>(
  file: string,
  activity: string,
  work: () => Promise<T>,
): Promise<T> {
  const owner = await livingOwner(file);
  if (owner !== undefined) {
    throw new Failure(
      `another kindows command (process ${owner.pid}) ${activity}: wait for it, or end it with \`kill ${owner.pid}\``,
      exitCodes.busy,
    );
  }
  return withLock(file, 1, work);
}
