import { readFileSync } from "node:fs";
import path from "node:path";
import { builtArtifacts } from "../../toolchain/built.ts";
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
  return { checksums, lock: readSoftwareLock(softwareLockFile), folders: fetchedFolders() };
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

function fetchedFolders(): KnownPrograms["folders"] {
  try {
    return builtArtifacts().windowsPrograms ?? {};
  } catch {
    // Nothing was prepared here: a preview works all the same.
    return {};
  }
}
