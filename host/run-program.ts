import { execa } from "execa";

/** How a program of the host ended. */
export interface ProgramEnd {
  /** `missing`: it is not installed; `late`: it was stopped at the end of its time. */
  readonly how: "well" | "badly" | "late" | "missing";
  readonly stdout: string;
  readonly stderr: string;
  /** Why it did not end well, in its own words where it has any; empty where it did. */
  readonly reason: string;
}

/**
 * Runs a program of the host to its end, in English and with nothing on its standard input. However it ends is an
 * answer; what that means is for whoever asked.
 *
 * @param locale what it prints names of files in.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  timeoutSeconds: number,
  locale: "C" | "C.UTF-8" = "C",
): Promise<ProgramEnd> {
  const result = await execa(program, args, {
    reject: false,
    stdin: "ignore",
    timeout: timeoutSeconds * 1000,
    env: { LC_ALL: locale },
  });
  // Nothing was printed by a program that never started.
  const { stdout = "", stderr = "" } = result as { stdout?: string; stderr?: string };
  if (!result.failed) {
    return { how: "well", stdout, stderr, reason: "" };
  }
  if (result.code === "ENOENT") {
    return { how: "missing", stdout, stderr, reason: `the program ${program} is not installed` };
  }
  // Also where a folder of the PATH is not for this user, and no other has the program.
  if (result.code === "EACCES") {
    return {
      how: "missing",
      stdout,
      stderr,
      reason: `the program ${program} may not be run by you`,
    };
  }
  return result.timedOut
    ? { how: "late", stdout, stderr, reason: `no answer within ${timeoutSeconds} s` }
    : { how: "badly", stdout, stderr, reason: stderr.trim() || (result.shortMessage ?? "") };
}
