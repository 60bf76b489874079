import { existsSync } from "node:fs";
import path from "node:path";

import type { Progress } from "./artifact.ts";
import { type Cache, compilerLockSeconds } from "./cache.ts";
import { isReadOnly } from "./read-only.ts";

/** `go` serves builds; `go-tests` serves tests of this project's own programs, is small, and is kept. */
export const compilerAddresses = ["go", "go-tests"] as const;

export type CompilerAddress = (typeof compilerAddresses)[number];

export function compilerFolder(cache: Cache, address: CompilerAddress): string {
  return path.join(cache.root, address);
}

/** Removes a compiler's cache atomically, unless something is being built; new builds wait. @returns whether it did. */
export async function removeCompilerCaches(
  cache: Cache,
  address: CompilerAddress = "go",
  say: Progress = () => undefined,
): Promise<boolean> {
  const folder = compilerFolder(cache, address);
  if (!existsSync(folder)) return false;
  try {
    return await cache.withEntryLock("go", compilerLockSeconds, async () => {
      await cache.removeHalfMade(address);
      // Another process may have removed it while this one waited for the lock.
      if (!existsSync(folder) || (await cache.isBuilding())) return false;
      say(`removing ${folder}, which only builds need`);
      await cache.removeFolder(folder, address);
      return true;
    });
  } catch (error) {
    if (isReadOnly(error)) return false;
    throw error;
  }
}
