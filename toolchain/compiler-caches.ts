import { stat } from "node:fs/promises";
import path from "node:path";
import { programOutput } from "../host/run-program.ts";

import type { Progress } from "./artifact.ts";
import { type Cache, compilerLockSeconds } from "./cache.ts";
import { isReadOnly } from "./read-only.ts";

/** `go` serves builds; `go-tests` serves tests of this project's own programs, is small, and is kept. */
export const compilerAddresses = ["go", "go-tests"] as const;

export type CompilerAddress = (typeof compilerAddresses)[number];

/** Longest time for changing the modes of all folders. */
const removalSeconds = 600;

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
  if ((await stat(folder).catch(() => undefined)) === undefined) return false;
  try {
    return await cache.withEntryLock("go", compilerLockSeconds, async () => {
      await cache.removeHalfMade(address);
      if (await cache.isBuilding()) return false;
      say(`removing ${folder}, which only builds need`);
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
  const makingWritable = ["-exec", "chmod", "u+w", "{}", "+"];
  await programOutput("find", [...protectedFolders, ...makingWritable], removalSeconds);
}
