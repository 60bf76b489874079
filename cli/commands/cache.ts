import { Cache } from "../../toolchain/cache.ts";
import { ownCache } from "../../toolchain/own-cache.ts";
import { compilerAddresses, removeCompilerCaches } from "../../toolchain/compiler-caches.ts";
import { compilerCaches, cacheEntries } from "../cache/entries.ts";
import {
  removeLoadedImages,
  removeDeadBuilds,
  removeEntries,
  removeStaleDownloads,
  unusedFor,
} from "../cache/prune.ts";
import { say } from "../progress.ts";
import { table } from "../table.ts";

/** `kindows cache ls`: what the cache holds. */
export async function list(): Promise<void> {
  const cache = new Cache();
  const entries = [...(await compilerCaches(cache)), ...(await cacheEntries(cache))];
  const rows = entries.map(({ address, bytes, seconds, usedAt }) => [
    address,
    mebibytes(bytes),
    buildTime(address, seconds),
    usedAt.toISOString().slice(0, 16).replace("T", " "),
  ]);
  const total = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  process.stdout.write(
    `${table(["ENTRY", "SIZE", "BUILD TIME", "LAST USED (UTC)"], rows)}\n\n${entries.length} entries, ${mebibytes(total)} in ${cache.root}\n`,
  );
}

/** `kindows cache prune`: removes unused and incomplete entries, and their images in Docker. */
export async function prune(options: { readonly unusedFor: number }): Promise<void> {
  const cache = new Cache(ownCache());
  const now = new Date();
  const unused = unusedFor(options.unusedFor, await cacheEntries(cache), now);
  let freed =
    (await removeEntries(cache, unused, say)) +
    (await removeDeadBuilds(cache)) +
    (await removeStaleDownloads(cache, options.unusedFor, now));
  for (const { address, bytes } of unusedFor(options.unusedFor, await compilerCaches(cache), now)) {
    const removed = await removeCompilerCaches(cache, address);
    freed += removed ? bytes : 0;
    say(removed ? `removed ${address}` : `kept ${address}: something is being built`);
  }
  await removeLoadedImages(cache, await cacheEntries(cache), say);
  say(`freed ${mebibytes(freed)}`);
}

function buildTime(address: string, seconds: number | undefined): string {
  if (seconds !== undefined) return `${seconds.toFixed(0)} s`;
  return compilerAddresses.some((each) => each === address) ? "for builds only" : "incomplete";
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}
