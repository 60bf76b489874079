import type { Readable } from "node:stream";
import { execa } from "execa";

export interface ProgramEnd {
  /** `missing`: it is not installed, or this user may not run it; `late`: it exceeded its time limit. */
  readonly how: "well" | "badly" | "late" | "missing";
  /** Undefined if it did not end by itself. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it failed: its standard error, if there is any; empty if it succeeded. */
  readonly reason: string;
}

export interface RunOptions {
  /** Locale, including the character set of file names. Default: C. */
  readonly locale?: "C" | "C.UTF-8";
  readonly input?: string | Readable;
  /** Ends the program. */
  readonly signal?: AbortSignal;
  readonly cwd?: string;
  /** Variables besides those of this process; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** virsh of libvirt 9.0 crashes when it closes a libssh connection, usually after it has printed its whole answer. */
const crashes = new Set(["SIGSEGV", "SIGABRT"]);

/**
 * Runs a program with English messages. Failures are results, not errors. virsh is run again, at most twice, if it
 * crashes without an answer.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  timeoutSeconds: number,
  { locale = "C", input, signal, cwd, env }: RunOptions = {},
): Promise<ProgramEnd> {
  const run = () =>
    execa(program, args, {
      reject: false,
      ...(input === undefined ? { stdin: "ignore" as const } : { input }),
      timeout: timeoutSeconds * 1000,
      cancelSignal: signal,
      cwd,
      env: { LC_ALL: locale, ...env },
    });
  const hasCrashed = (signal = ""): boolean => /(^|\/)virsh$/.test(program) && crashes.has(signal);
  let result = await run();
  for (let left = 2; left > 0 && hasCrashed(result.signal) && !result.stdout; left--) {
    result = await run();
  }
  // A program that never started printed nothing.
  const { stdout = "", stderr = "" } = result as { stdout?: string; stderr?: string };
  const { exitCode } = result;
  const end = (how: ProgramEnd["how"], reason: string): ProgramEnd => ({
    how,
    exitCode,
    stdout,
    stderr,
    reason,
  });
  if (!result.failed || (hasCrashed(result.signal) && stdout !== "" && stderr === "")) {
    return end("well", "");
  }
  if (result.code === "ENOENT") return end("missing", `the program ${program} is not installed`);
  // This also happens if this user may not read a folder of the PATH and no other folder has the program.
  if (result.code === "EACCES")
    return end("missing", `the program ${program} can't be run by this user`);
  return result.timedOut
    ? end("late", `no answer within ${timeoutSeconds} s`)
    : end("badly", stderr.trim() || (result.shortMessage ?? ""));
}

/** Runs a program and returns its standard output. @throws with why it failed */
export async function programOutput(
  program: string,
  args: readonly string[],
  timeoutSeconds: number,
  options: RunOptions = {},
): Promise<string> {
  const { how, stdout, reason } = await runProgram(program, args, timeoutSeconds, options);
  if (how !== "well") throw new Error(`${[program, ...args].join(" ")}: ${reason}`);
  return stdout;
}
