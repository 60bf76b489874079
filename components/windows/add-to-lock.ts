import { rename, writeFile } from "node:fs/promises";

import { withLock } from "../../toolchain/cache-lock.ts";
import { readSoftwareLock } from "./known-programs.ts";
import { renderSoftwareLock, type SoftwareLock } from "./software-lock.ts";

/** Another process holds it while it writes a few lines. */
const lock = { timeoutSeconds: 30, pollMilliseconds: 50, onWait: () => undefined };

/**
 * Writes one more file into the lock, in one step.
 *
 * @param file the lock.
 * @param guard lock file of those who write it.
 * @throws when another process has locked another checksum for it meanwhile.
 */
export async function addToLock(
  file: string,
  guard: string,
  uri: string,
  entry: SoftwareLock[string],
): Promise<void> {
  await withLock(guard, lock, async () => {
    const known = readSoftwareLock(file);
    const earlier = known[uri]?.sha256;
    if (earlier !== undefined && earlier !== entry.sha256) {
      throw new Error(
        `${uri} was locked to the SHA-256 ${earlier} by another process meanwhile, not to ${entry.sha256}`,
      );
    }
    if (earlier === undefined) {
      const aside = `${file}.${String(process.pid)}`;
      await writeFile(aside, renderSoftwareLock({ ...known, [uri]: entry }));
      await rename(aside, file);
    }
  });
}
