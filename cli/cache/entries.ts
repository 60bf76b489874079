import { readdir, stat } from "node:fs/promises";
import path from "node:path";

import { markerName, readMarker } from "../../toolchain/cache-marker.ts";
import type { Cache } from "../../toolchain/cache.ts";
import {
  compilerAddresses,
  compilerFolder,
  type CompilerAddress,
} from "../../toolchain/compiler-caches.ts";

/** An artifact that was built or downloaded into the cache. */
export interface CacheEntry {
  /** Name of its folder: artifact name and hash of its inputs. */
  readonly address: string;
  readonly bytes: number;
  /** Seconds it took to build; undefined for an incomplete entry. */
  readonly seconds: number | undefined;
  /** When a clone last used it; the folder's time if it is incomplete. */
  readonly usedAt: Date;
}

/** Everything in the cache, biggest first. */
export async function cacheEntries(cache: Cache): Promise<readonly CacheEntry[]> {
  const names = await readdir(cache.entriesFolder).catch(() => [] as string[]);
  const entries = await Promise.all(
    names.map(async (address) => {
      const folder = cache.entryFolder(address);
      const marker = await readMarker(folder);
      const used = await stat(marker === undefined ? folder : path.join(folder, markerName));
      return {
        address,
        bytes: await bytesBelow(folder),
        seconds: marker?.seconds,
        usedAt: used.mtime,
      };
    }),
  );
  return entries.sort((a, b) => b.bytes - a.bytes);
}

/** Disk space of the files below a folder; files that vanish meanwhile count as 0. */
export async function bytesBelow(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    files
      .filter((file) => file.isFile())
      .map(async (file) => {
        // Blocks count 512 bytes each, whatever the file system's own block size (POSIX).
        const found = await stat(path.join(file.parentPath, file.name)).catch(() => undefined);
        return (found?.blocks ?? 0) * 512;
      }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Go's modules and compiled packages as entries. */
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

/** Time of Go's last write to a cache: that of its newest subfolder, since Go writes into these. */
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
