import { rename, writeFile } from "node:fs/promises";
import path from "node:path";

import { withLock } from "./cache-lock.ts";
import { readSoftwareLock, renderSoftwareLock, type SoftwareLock } from "./software-lock.ts";

/** Longest wait for another process, which only writes a few lines. */
const lock = { timeoutSeconds: 30, pollMilliseconds: 50, onWait: () => undefined };

/**
 * Adds a file to the lock, atomically. A publisher's checksum replaces one from another source.
 *
 * @param file the lock; writers wait for each other in `.kindows` beside it.
 * @throws if another checksum is locked for it.
 */
export async function addToLock(
  file: string,
  uri: string,
  entry: SoftwareLock[string],
): Promise<void> {
  const guard = path.join(path.dirname(file), ".kindows", "software-lock");
  await withLock(guard, lock, async () => {
    const known = readSoftwareLock(file);
    const earlier = known[uri];
    if (earlier !== undefined && earlier.sha256 !== entry.sha256) {
      throw new Error(
        `${uri} is locked to the SHA-256 ${earlier.sha256} (from ${earlier.takenFrom}), not to ${entry.sha256} from ${entry.takenFrom}`,
      );
    }
    if (!earlier?.takenFrom.startsWith("https://")) {
      const aside = `${file}.${String(process.pid)}`;
      await writeFile(aside, renderSoftwareLock({ ...known, [uri]: entry }));
      await rename(aside, file);
    }
  });
}
