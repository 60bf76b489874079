import { statfs } from "node:fs/promises";
import path from "node:path";
import type { HostProblem } from "../../config/host-problem.ts";
import { unless } from "../../config/problem.ts";
import { MediaError } from "./media-program.ts";

/** What to do where the cache's file system is full. */
export const makeRoom =
  "Make room (`./kindows disk prune`, `./kindows cache prune`), or set KINDOWS_CACHE to a folder that has it.";

/** Throws MediaError if the file system of `into` has less free space than needed. */
export async function requireRoom(into: string, neededGiB: number, what: string): Promise<void> {
  const problems = await roomProblems(path.dirname(into), neededGiB, what);
  if (problems.length > 0) throw new MediaError(...problems);
}

/** Reports a problem if the file system of a folder has less free space than needed. The folder may not exist yet. */
export async function roomProblems(
  folder: string,
  neededGiB: number,
  what: string,
  say: (line: string) => void = () => undefined,
): Promise<HostProblem[]> {
  const free = await freeAbove(folder);
  say(
    `${what} takes up to ${neededGiB.toFixed(1)} GiB of disk in ${folder}, where ${free.toFixed(1)} GiB are free`,
  );
  return unless(free >= neededGiB, {
    subject: `The file system of ${folder}`,
    why: `has ${free.toFixed(1)} GiB free, and ${what} takes ${neededGiB.toFixed(1)} GiB`,
    instead: makeRoom,
  });
}

async function freeAbove(folder: string): Promise<number> {
  try {
    return await freeGiB(folder);
  } catch (error) {
    const above = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || above === folder) throw error;
    return freeAbove(above);
  }
}

/** Free space on the file system of a folder for users other than root, in GiB. */
export async function freeGiB(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return (bavail * bsize) / 1024 ** 3;
}
