import { rename, writeFile } from "node:fs/promises";
import path from "node:path";

import { withLock } from "./cache-lock.ts";
import { readSoftwareLock, renderSoftwareLock, type SoftwareLock } from "./software-lock.ts";

/** Another process holds it while it writes a few lines. */
const lock = { timeoutSeconds: 30, pollMilliseconds: 50, onWait: () => undefined };

/**
 * Writes one more file into the lock, in one step.
 *
 * @param file the lock; those who write it wait for each other in `.kindows` beside it.
 * @throws when another process has locked another checksum for it meanwhile.
 */
export async function addToLock(
  file: string,
  uri: string,
  entry: SoftwareLock[string],
): Promise<void> {
  const guard = path.join(path.dirname(file), ".kindows", "software-lock");
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
