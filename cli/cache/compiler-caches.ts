import { readdir, stat } from "node:fs/promises";
import path from "node:path";

import type { Cache } from "../../toolchain/cache.ts";
import { compilerAddresses, compilerFolder } from "../../toolchain/compiler-caches.ts";
import type { CompilerAddress } from "../../toolchain/compiler-caches.ts";
import { bytesBelow } from "./entries.ts";
import type { CacheEntry } from "./entries.ts";

/** Go's modules and compiled packages as entries, as far as there are any. */
export async function compilerCaches(
  cache: Cache,
): Promise<readonly (CacheEntry & { readonly address: CompilerAddress })[]> {
  const entries = await Promise.all(
    compilerAddresses.map(async (address) => {
      const folder = compilerFolder(cache, address);
      const usedAt = await lastWrite(folder);
      return usedAt === undefined
        ? []
        : [{ address, bytes: await bytesBelow(folder), seconds: undefined, usedAt }];
    }),
  );
  return entries.flat();
}

/** The compiler spreads what it writes over one layer of folders. */
async function lastWrite(folder: string): Promise<Date | undefined> {
  const times = await Promise.all(
    ["build", "mod/cache/download"].map(async (name) => {
      const below = path.join(folder, name);
      const names = await readdir(below).catch(() => [] as string[]);
      const found = names.map((each) => stat(path.join(below, each)).catch(() => undefined));
      return (await Promise.all(found)).map((each) => each?.mtimeMs ?? 0);
    }),
  );
  const latest = Math.max(...times.flat());
  return Number.isFinite(latest) ? new Date(latest) : undefined;
}
