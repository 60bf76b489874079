import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";

import type { Cache } from "../../toolchain/cache.ts";
import { bytesBelow } from "./entries.ts";
import type { CacheEntry } from "./entries.ts";
import { isLivingBuild } from "./living-build.ts";

/** Folder of Go's modules and of what it compiled of them, below the cache's root: only builds need it. */
export const compilerAddress = "go";

/** Go's modules and compiled packages as an entry, or nothing where nothing was compiled. */
export async function compilerCaches(cache: Cache): Promise<CacheEntry | undefined> {
  const folder = path.join(cache.root, compilerAddress);
  const usedAt = await lastWrite(folder);
  return usedAt === undefined
    ? undefined
    : { address: compilerAddress, bytes: await bytesBelow(folder), seconds: undefined, usedAt };
}

/**
 * Removes them.
 *
 * @returns what was freed, in bytes; nothing while something is being built.
 */
export async function removeCompilerCaches(
  cache: Cache,
  { bytes }: CacheEntry,
  say: (line: string) => void,
): Promise<number> {
  if (await isBuilding(cache)) {
    say(`kept ${compilerAddress}: something is being built with it`);
    return 0;
  }
  await rm(path.join(cache.root, compilerAddress), { recursive: true, force: true });
  say(`removed ${compilerAddress}, the compiler's caches`);
  return bytes;
}

/** The compiler spreads what it writes over one layer of folders. */
async function lastWrite(folder: string): Promise<Date | undefined> {
  const times = await Promise.all(
    ["build", "mod/cache/download"].map(async (name) => {
      const below = path.join(folder, name);
      const names = await readdir(below).catch(() => [] as string[]);
      return Promise.all(names.map(async (each) => (await stat(path.join(below, each))).mtimeMs));
    }),
  );
  const latest = Math.max(...times.flat());
  return Number.isFinite(latest) ? new Date(latest) : undefined;
}

async function isBuilding(cache: Cache): Promise<boolean> {
  const names = await readdir(cache.buildingFolder).catch(() => [] as string[]);
  const alive = await Promise.all(names.map(async (name) => isLivingBuild(cache, name)));
  return alive.includes(true);
}
