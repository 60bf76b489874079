import { builtSoFar } from "../../toolchain/built.ts";
import { readSoftwareLock, softwareLockFile } from "../../toolchain/software-lock.ts";
import type { KnownPrograms } from "./software.ts";

/**
 * What settings, lock and cache of this clone know about programs.
 *
 * @param checksums those of the settings.
 * @throws if the lock cannot be read.
 */
export function knownPrograms(checksums: KnownPrograms["checksums"]): KnownPrograms {
  return {
    checksums,
    lock: readSoftwareLock(softwareLockFile),
    folders: builtSoFar().windowsPrograms ?? {},
  };
}
