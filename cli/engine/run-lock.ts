import { isAlive } from "../../toolchain/owner.ts";
import { readOwner, withLock } from "../../toolchain/cache-lock.ts";
import { Failure, exitCodes } from "../failure.ts";
import { runLockFile } from "./folders.ts";

/**
 * Runs `work` as the only `kindows` command that changes the stack.
 *
 * @param file lock of what must not be done twice at a time, where that is not the whole stack.
 * @throws at once when another one is at it.
 */
export async function asOnlyRun<T>(
  stack: string,
  work: () => Promise<T>,
  file: string = runLockFile(stack),
): Promise<T> {
  const owner = await readOwner(file);
  if (owner !== undefined && (await isAlive(owner))) {
    throw new Failure(
      `another kindows command (process ${owner.pid}) works on the stack ${stack}: wait for it, or end it with \`kill ${owner.pid}\``,
      exitCodes.busy,
    );
  }
  const options = { timeoutSeconds: 1, pollMilliseconds: 100, onWait: () => undefined };
  return withLock(file, options, work);
}
