import { readFileSync } from "node:fs";
import path from "node:path";
import { builtSoFar } from "../../toolchain/built.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { parseSoftwareLock, softwareLockName, type SoftwareLock } from "./software-lock.ts";
import type { KnownPrograms } from "./software.ts";

/** The lock's file in this clone. */
export const softwareLockFile = path.join(projectRoot, softwareLockName);

/**
 * What settings, lock and cache of this clone say of programs.
 *
 * @param checksums those of the settings.
 * @throws when the lock can't be read.
 */
export function knownPrograms(checksums: KnownPrograms["checksums"]): KnownPrograms {
  return {
    checksums,
    lock: readSoftwareLock(softwareLockFile),
    folders: builtSoFar().windowsPrograms ?? {},
  };
}

/** The lock as it stands; empty where there is none yet. */
export function readSoftwareLock(file: string): SoftwareLock {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return {};
    }
    throw error;
  }
  return parseSoftwareLock(text);
}
