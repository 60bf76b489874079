import { link, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";

import { isAlive, ownerOf, thisProcess, type Owner } from "./owner.ts";
import { readJson } from "./parse-json.ts";

const ownerSchema = z.object({ pid: z.number(), startTicks: z.string(), bootId: z.string() });

const pollMilliseconds = 100;

/**
 * Runs `work` as the only process that holds `lockFile`; a lock whose owner is dead is taken over. It saves work but is not
 * needed for correctness: in the tiny window in which a take-over can lead to two owners, something is built twice.
 *
 * @param onWait called while waiting for a running owner: at once, and then every minute.
 * @throws if a running process still holds the lock after `timeoutSeconds`, naming that process.
 */
export async function withLock<T>(
  lockFile: string,
  timeoutSeconds: number,
  work: () => T | Promise<T>,
  onWait: (owner: Owner) => void = () => undefined,
): Promise<T> {
  await mkdir(path.dirname(lockFile), { recursive: true });
  const candidate = `${lockFile}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  // Written to a temporary file and linked, so that no process reads an incomplete owner.
  await writeFile(candidate, JSON.stringify(await thisProcess()));
  try {
    await acquire(lockFile, candidate, timeoutSeconds, onWait);
    try {
      return await work();
    } finally {
      await rm(lockFile, { force: true });
    }
  } finally {
    await rm(candidate, { force: true });
  }
}

async function acquire(
  lockFile: string,
  candidate: string,
  timeoutSeconds: number,
  onWait: (owner: Owner) => void,
): Promise<void> {
  const started = Date.now();
  let lastReport = 0;
  for (;;) {
    try {
      await link(candidate, lockFile);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const owner = await livingOwner(lockFile);
    if (owner === undefined) {
      await removeDead(lockFile, candidate);
      continue;
    }
    if (Date.now() - started > timeoutSeconds * 1000) {
      throw new Error(
        `process ${owner.pid} has held ${lockFile} for more than ${timeoutSeconds} s: ` +
          `wait for it or end it, then run this again`,
      );
    }
    if (Date.now() - lastReport > 60_000) {
      lastReport = Date.now();
      onWait(owner);
    }
    await sleep(pollMilliseconds);
  }
}

/**
 * Removes a dead owner's lock and the temporary files of dead processes beside it. A lock that a running process has
 * taken in the meantime is put back.
 */
async function removeDead(lockFile: string, candidate: string): Promise<void> {
  const aside = `${candidate}.dead`;
  try {
    await rename(lockFile, aside);
  } catch {
    return; // Another process was faster.
  }
  if (await livingOwner(aside)) await link(aside, lockFile).catch(() => undefined);
  await rm(aside, { force: true });
  // Judged by the pid in the name, because a file that is being written has no content yet.
  const [folder, prefix] = [path.dirname(lockFile), `${path.basename(lockFile)}.`];
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(prefix) ? name.slice(prefix.length).split(".")[0] : "";
    if (pid && (await ownerOf(Number(pid))) === undefined) {
      await rm(path.join(folder, name), { force: true });
    }
  }
}

export async function livingOwner(lockFile: string): Promise<Owner | undefined> {
  const owner = await readOwner(lockFile);
  return owner !== undefined && (await isAlive(owner)) ? owner : undefined;
}

/** Owner of a lock file; undefined if the file is gone or unreadable, which counts as dead. */
export function readOwner(lockFile: string): Promise<Owner | undefined> {
  return readJson(lockFile, ownerSchema);
}
