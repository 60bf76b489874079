import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";

import { runProgram } from "../../host/run-program.ts";
import type { Cache } from "../../toolchain/cache.ts";
import { loadedFolder } from "../../toolchain/own-cache.ts";
import { bytesBelow, type CacheEntry } from "./entries.ts";

/** Entries that no clone has used for this many days; 0 means all entries. */
export function unusedFor<T extends CacheEntry>(
  days: number,
  entries: readonly T[],
  now: Date,
): readonly T[] {
  const limit = now.getTime() - days * 24 * 3600 * 1000;
  return entries.filter((entry) => entry.usedAt.getTime() <= limit);
}

/** Removes entries; does not wait for a process that is building one. */
export async function removeEntries(
  cache: Cache,
  entries: readonly CacheEntry[],
  say: (line: string) => void,
): Promise<number> {
  let freed = 0;
  for (const { address, bytes } of entries) {
    await cache.withEntryLock(address, 1, () => cache.remove(address));
    await removeLogs(cache, address);
    freed += bytes;
    say(`removed ${address}`);
  }
  return freed;
}

/** Removes a build's log, and the other files that were kept to find out why it failed. */
async function removeLogs(cache: Cache, address: string): Promise<void> {
  const folder = path.dirname(cache.logFile(address));
  const names = await readdir(folder).catch(() => [] as string[]);
  for (const name of names.filter((each) => each.startsWith(`${address}.`))) {
    await rm(path.join(folder, name), { recursive: true, force: true });
  }
}

const underWayMilliseconds = 60_000;

/** Removes incomplete and rejected downloads that were not resumed for this many days. */
export async function removeStaleDownloads(cache: Cache, days: number, now: Date): Promise<number> {
  const limit = now.getTime() - Math.max(days * 24 * 3600 * 1000, underWayMilliseconds);
  const files = await readdir(cache.downloadsFolder, {
    recursive: true,
    withFileTypes: true,
  }).catch(() => []);
  let freed = 0;
  for (const each of files.filter((entry) => !entry.isDirectory())) {
    const file = path.join(each.parentPath, each.name);
    const { mtimeMs, size } = await stat(file);
    if (mtimeMs <= limit) {
      freed += size;
      await rm(file, { force: true });
    }
  }
  return freed;
}

/** Removes the files of builds that were killed, including those that the next build could resume. */
export async function removeDeadBuilds(cache: Cache): Promise<number> {
  const freed = await removeDead(cache, cache.buildingFolder);
  return freed + (await removePartialBuilds(cache));
}

/** Removes the files of killed builds that the next build could resume. */
export function removePartialBuilds(cache: Cache): Promise<number> {
  return removeDead(cache, cache.partialFolder);
}

/** Removes the subfolders of builds that no longer run; each is named by its entry's address. */
async function removeDead(cache: Cache, parent: string): Promise<number> {
  const names = await readdir(parent).catch(() => [] as string[]);
  let freed = 0;
  for (const name of names) {
    if (await cache.isLivingBuild(name)) continue;
    const folder = path.join(parent, name);
    if ((await stat(folder)).isDirectory()) {
      freed += await bytesBelow(folder);
      await rm(folder, { recursive: true, force: true });
    }
  }
  return freed;
}

/**
 * Node images built here and loaded into Docker, of which `loadedFolder` has a note. A tag is `kindows-` and the start of
 * the hash in the cache address.
 */
const repository = "kindest/node";
const tagPrefix = "kindows-";

/**
 * Removes node images from Docker that came from the cache and are no longer in it, unless a container uses them. Does
 * nothing without Docker.
 */
export async function removeLoadedImages(
  cache: Cache,
  entries: readonly Pick<CacheEntry, "address">[],
  say: (line: string) => void,
): Promise<void> {
  const loaded = await readdir(loadedFolder(cache.root)).catch(() => [] as string[]);
  const addresses = entries.map(({ address }) => address);
  for (const reference of orphaned(loaded.map(decodeURIComponent), addresses)) {
    const listed = await runProgram("docker", ["images", "--quiet", reference], 60);
    if (listed.how !== "well") return;
    if (listed.stdout.trim() !== "") {
      const { how } = await runProgram("docker", ["rmi", reference], 60);
      say(how === "well" ? `removed ${reference} from Docker` : `kept ${reference}: it is in use`);
      if (how !== "well") continue;
    }
    await rm(path.join(loadedFolder(cache.root), encodeURIComponent(reference)), { force: true });
  }
}

/** References of images built here whose entry is gone. */
export function orphaned(
  references: readonly string[],
  addresses: readonly string[],
): readonly string[] {
  const prefix = `${repository}:${tagPrefix}`;
  return references.filter(
    (reference) =>
      reference.startsWith(prefix) &&
      !addresses.some((one) => one.startsWith(`node-image-${reference.slice(prefix.length)}`)),
  );
}
