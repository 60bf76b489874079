import { execa } from "execa";

export interface ProgramEnd {
  /** `missing`: it is not installed; `late`: it exceeded its time limit. */
  readonly how: "well" | "badly" | "late" | "missing";
  /** Undefined if it did not end by itself. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it failed, if possible its own error; empty if it succeeded. */
  readonly reason: string;
}

export interface RunOptions {
  /** With the character set of its file names. Default: C. */
  readonly locale?: "C" | "C.UTF-8";
  readonly input?: string;
  /** Ends it before its time. */
  readonly signal?: AbortSignal;
}

/** virsh of libvirt 9.0 crashes when it closes a libssh connection, mostly with its answer printed whole. */
const crashes = new Set(["SIGSEGV", "SIGABRT"]);

/** In English; a virsh that crashes without an answer is run again, twice. Failures are results. */
export async function runProgram(
  program: string,
  args: readonly string[],
  timeoutSeconds: number,
  { locale = "C", input, signal }: RunOptions = {},
): Promise<ProgramEnd> {
  const run = () =>
    execa(program, args, {
      reject: false,
      ...(input === undefined ? { stdin: "ignore" as const } : { input }),
      timeout: timeoutSeconds * 1000,
      cancelSignal: signal,
      env: { LC_ALL: locale },
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
  // Also if this user may not read a folder of the PATH, and no other has the program.
  if (result.code === "EACCES")
    return end("missing", `the program ${program} may not be run by you`);
  return result.timedOut
    ? end("late", `no answer within ${timeoutSeconds} s`)
    : end("badly", stderr.trim() || (result.shortMessage ?? ""));
}
