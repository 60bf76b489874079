import { Cache } from "../../toolchain/cache.ts";
import { cacheEntries } from "../cache/entries.ts";
import { removeDeadBuilds, removeEntries, unusedFor } from "../cache/prune.ts";
import { exitCodes } from "../failure.ts";
import { say } from "../progress.ts";
import { table } from "../table.ts";

/** `kindows cache ls`: what the cache holds. */
export async function list(): Promise<number> {
  const cache = new Cache();
  const entries = await cacheEntries(cache);
  const rows = entries.map(({ address, bytes, seconds, usedAt }) => [
    address,
    mebibytes(bytes),
    seconds === undefined ? "not whole" : `${seconds.toFixed(0)} s`,
    usedAt.toISOString().slice(0, 16).replace("T", " "),
  ]);
  const total = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  process.stdout.write(
    `${table(["ENTRY", "SIZE", "MADE IN", "LAST USED (UTC)"], rows)}\n\n${entries.length} entries, ${mebibytes(total)} in ${cache.root}\n`,
  );
  return exitCodes.ok;
}

export interface PruneOptions {
  /** Entries that no clone has used for so many days are removed. */
  readonly unusedFor: number;
}

/** `kindows cache prune`: removes what is not used, and what died half-made. */
export async function prune(options: PruneOptions): Promise<number> {
  const cache = new Cache();
  const unused = unusedFor(options.unusedFor, await cacheEntries(cache), new Date());
  const freed = (await removeEntries(cache, unused, say)) + (await removeDeadBuilds(cache));
  say(`freed ${mebibytes(freed)}`);
  return exitCodes.ok;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}
