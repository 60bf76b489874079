import { appendFile } from "node:fs/promises";
import { execa } from "execa";

/** Runs a program of a build to its end. @returns its standard output */
export type RunCommand = (
  program: string,
  args: readonly string[],
  options?: {
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly input?: string;
    readonly timeoutSeconds?: number;
  },
) => Promise<string>;

/** Longest any single program of a build may take unless it says so, in seconds: a download over a slow line. */
const defaultTimeoutSeconds = 1200;

/**
 * Programs run with the C locale, and both their outputs go to the build's log as well. One that fails or takes too long
 * throws with its last error: whoever shows the end of the log shows the others.
 *
 * @param prefix a command that runs the program given to it, as `nice` does.
 */
export function commandRunner(logFile: string, prefix: readonly string[] = []): RunCommand {
  const log = { file: logFile, append: true };
  return async (program, args, { timeoutSeconds = defaultTimeoutSeconds, ...options } = {}) => {
    await appendFile(logFile, `$ ${[program, ...args].join(" ")}\n`);
    const [first = program, ...rest] = [...prefix, program, ...args];
    const { failed, timedOut, exitCode, shortMessage, stdout, stderr } = await execa(first, rest, {
      cwd: options.cwd,
      input: options.input ?? "",
      env: { LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive", ...options.env },
      timeout: timeoutSeconds * 1000,
      stdout: ["pipe", log],
      stderr: ["pipe", log],
      reject: false,
      maxBuffer: 64 * 1024 * 1024,
    });
    if (timedOut) throw new Error(`${program} was ended after ${timeoutSeconds} s`);
    if (failed) {
      const how = exitCode === undefined ? shortMessage : `exit code ${exitCode}`;
      throw new Error(`${program} failed (${how}): ${stderr.trim().split("\n").at(-1)}`);
    }
    return stdout;
  };
}
