import { installText, thisPackageManager } from "../../../toolchain/host-packages.ts";
import { runProgram, type ProgramEnd } from "../../../host/run-program.ts";

/** The programs that make and look at media, each with the Debian package it is in. */
const packages = {
  "7z": "p7zip-full",
  "qemu-img": "qemu-utils",
  wiminfo: "wimtools",
  xorriso: "xorriso",
} as const;

/**
 * Runs a program that makes or looks at media; see `runProgram`.
 *
 * @throws when it is not installed.
 */
export async function runMediaProgram(
  program: keyof typeof packages,
  args: readonly string[],
  timeoutSeconds: number,
): Promise<ProgramEnd> {
  const end = await runProgram(program, args, timeoutSeconds, "C.UTF-8");
  if (end.how === "missing") {
    const install = installText(await thisPackageManager(), [packages[program]]);
    throw new Error(`${end.reason}: ${install}`);
  }
  return end;
}
