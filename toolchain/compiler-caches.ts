import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import type { Progress } from "./artifact.ts";
import type { LockOptions } from "./cache-lock.ts";
import type { Cache } from "./cache.ts";
import { isBuilding } from "./living-build.ts";
import { isReadOnly } from "./read-only.ts";

/**
 * Folders of Go's modules and of what it compiled of them, below the cache's root: of builds, and of our own programs'
 * tests, which are small and stay.
 */
export const compilerAddresses = ["go", "go-tests"] as const;

export type CompilerAddress = (typeof compilerAddresses)[number];

/** Longest wait for whoever removes them, and longest look for folders that can't be written to. */
const timeoutSeconds = 600;

const lockOptions: LockOptions = {
  timeoutSeconds,
  pollMilliseconds: 50,
  onWait: () => undefined,
};

export function compilerFolder(cache: Cache, address: CompilerAddress): string {
  return path.join(cache.root, address);
}

/**
 * Makes the folder that a build fills, which keeps the compiler's caches for as long as the build's process lives. Where
 * they are just being removed, that is waited for.
 */
export function beginBuild(cache: Cache, into: string): Promise<unknown> {
  return cache.withEntryLock("go", lockOptions, () => mkdir(into, { recursive: true }));
}

/**
 * Removes compiler's caches, for everybody at once, unless something is being built; builds that begin meanwhile wait.
 *
 * @returns whether there was something that is gone now.
 */
export async function removeCompilerCaches(
  cache: Cache,
  address: CompilerAddress = "go",
  say: Progress = () => undefined,
): Promise<boolean> {
  const folder = compilerFolder(cache, address);
  if ((await stat(folder).catch(() => undefined)) === undefined) {
    return false;
  }
  try {
    return await cache.withEntryLock("go", lockOptions, async () => {
      await cache.removeHalfMade(address);
      if (await isBuilding(cache)) {
        return false;
      }
      say(`removes ${folder}, which only builds need`);
      await makeWritable(folder);
      await cache.removeFolder(folder, address);
      return true;
    });
  } catch (error) {
    if (isReadOnly(error)) {
      return false;
    }
    throw error;
  }
}

/** Go protects the folders of some modules against writing, which keeps all but root from removing their files. */
async function makeWritable(folder: string): Promise<void> {
  const protectedFolders = [folder, "-type", "d", "!", "-perm", "-u+w"];
  await execa("find", [...protectedFolders, "-exec", "chmod", "u+w", "{}", "+"], {
    stdin: "ignore",
    timeout: timeoutSeconds * 1000,
  });
}
