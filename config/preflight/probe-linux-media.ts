import { existsSync } from "node:fs";
import { builtSoFar } from "../../toolchain/built.ts";

/** Whether the disk that Linux machines start from, and the programs they get, are on this host. */
export type LinuxMediaFacts = "there" | "missing";

/** Asks for what was prepared last, and whether it is still there. */
export function probeLinuxMedia(): LinuxMediaFacts {
  const { linuxImage, linuxPrograms } = builtSoFar();
  return [linuxImage, linuxPrograms].every((one) => one !== undefined && existsSync(one.path))
    ? "there"
    : "missing";
}
