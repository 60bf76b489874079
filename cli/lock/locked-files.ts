import path from "node:path";

import type { Progress } from "../../toolchain/artifact.ts";
import {
  lockChecksum,
  publishersChecksum,
  whyUnreachable,
  type PublishedFile,
} from "../../toolchain/publisher.ts";
import { readSoftwareLock, softwareLockFile } from "../../toolchain/software-lock.ts";
import { messageOf } from "../../host/failure.ts";
import { table } from "../table.ts";

/** A downloaded file's entry in the lock. */
export interface LockedFile {
  readonly url: string;
  /** Source of its checksum; undefined if none is locked. */
  readonly takenFrom: string | undefined;
  /** Why its publisher's checksum could not be locked. */
  readonly problem?: string;
}

/** Reads the lock only. */
export function lockedFiles(
  files: readonly PublishedFile[],
  lockFile: string = softwareLockFile,
): readonly LockedFile[] {
  const lock = readSoftwareLock(lockFile);
  return files.map(({ url }) => ({ url, takenFrom: lock[url]?.takenFrom }));
}

/**
 * Locks the publishers' checksums of files that have none, or one from another source. A locked checksum never changes: a
 * publisher with another one is a problem.
 */
export async function updateLock(
  files: readonly PublishedFile[],
  say: Progress,
  lockFile: string = softwareLockFile,
): Promise<readonly LockedFile[]> {
  const problems = new Map<string, string>();
  const before = readSoftwareLock(lockFile);
  for (const file of files) {
    const known = before[file.url];
    if (known?.takenFrom.startsWith("https://") || (known && file.checksumUrl === undefined)) {
      continue;
    }
    try {
      const unreachable = await whyUnreachable(file.checksumUrl ?? file.url);
      if (unreachable !== undefined) {
        throw new Error(unreachable);
      }
      await lockChecksum(file, await publishersChecksum(file), say, lockFile);
    } catch (error) {
      problems.set(file.url, messageOf(error));
    }
  }
  return lockedFiles(files, lockFile).map((each) => {
    const problem = problems.get(each.url);
    return problem === undefined ? each : { ...each, problem };
  });
}

/** A table of files, followed by why some are not locked. */
export function lockedText(files: readonly LockedFile[]): string {
  const name = (url: string): string => path.posix.basename(url);
  const rows = files.map(({ url, takenFrom }) => [name(url), takenFrom ?? "not locked"]);
  const problems = files.flatMap(({ url, problem }) =>
    problem === undefined ? [] : [`${name(url)}: ${problem}`],
  );
  return [table(["FILE", "CHECKSUM FROM"], rows), ...problems].join("\n");
}
