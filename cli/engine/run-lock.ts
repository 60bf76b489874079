import { isAlive } from "../../toolchain/owner.ts";
import { readOwner, withLock } from "../../toolchain/cache-lock.ts";
import { Failure, exitCodes } from "../../host/failure.ts";
import { runLockFile } from "./folders.ts";

/**
 * Runs `work` as the only `kindows` command that changes the stack.
 *
 * @throws at once if another one is running.
 */
export function asOnlyRun<T>(stack: string, work: () => Promise<T>): Promise<T> {
  return asHolderOf(runLockFile(stack), `works on the stack ${stack}`, work);
}

/**
 * Runs `work` while no other `kindows` command holds the lock.
 *
 * @param does what its holder does, for the error message.
 * @throws at once if another one holds it.
 */
export async function asHolderOf<T>(
  file: string,
  does: string,
  work: () => Promise<T>,
): Promise<T> {
  const owner = await readOwner(file);
  if (owner !== undefined && (await isAlive(owner))) {
    throw new Failure(
      `another kindows command (process ${owner.pid}) ${does}: wait for it, or end it with \`kill ${owner.pid}\``,
      exitCodes.busy,
    );
  }
  const options = { timeoutSeconds: 1, pollMilliseconds: 100, onWait: () => undefined };
  return withLock(file, options, work);
}
