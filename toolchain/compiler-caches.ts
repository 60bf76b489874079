import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import type { Progress } from "./artifact.ts";
import type { Cache } from "./cache.ts";
import { isReadOnly } from "./read-only.ts";

/** For builds, and for tests of this project's programs, whose caches are small and stay. */
export const compilerAddresses = ["go", "go-tests"] as const;

export type CompilerAddress = (typeof compilerAddresses)[number];

const timeoutSeconds = 600;

export function compilerFolder(cache: Cache, address: CompilerAddress): string {
  return path.join(cache.root, address);
}

/** Creates the folder of a build, which protects the compiler's caches; waits if they are just being removed. */
export function beginBuild(cache: Cache, into: string): Promise<unknown> {
  return cache.withEntryLock("go", timeoutSeconds, () => mkdir(into, { recursive: true }));
}

/** Removes them atomically, unless something is being built; new builds wait meanwhile. @returns whether there were any. */
export async function removeCompilerCaches(
  cache: Cache,
  address: CompilerAddress = "go",
  say: Progress = () => undefined,
): Promise<boolean> {
  const folder = compilerFolder(cache, address);
  if ((await stat(folder).catch(() => undefined)) === undefined) return false;
  try {
    return await cache.withEntryLock("go", timeoutSeconds, async () => {
      await cache.removeHalfMade(address);
      if (await cache.isBuilding()) return false;
      say(`removes ${folder}, which only builds need`);
      await makeWritable(folder);
      await cache.removeFolder(folder, address);
      return true;
    });
  } catch (error) {
    if (isReadOnly(error)) return false;
    throw error;
  }
}

/** Go makes the folders of some modules read-only, so that only root could remove their files. */
async function makeWritable(folder: string): Promise<void> {
  const protectedFolders = [folder, "-type", "d", "!", "-perm", "-u+w"];
  await execa("find", [...protectedFolders, "-exec", "chmod", "u+w", "{}", "+"], {
    stdin: "ignore",
    timeout: timeoutSeconds * 1000,
  });
}
