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

/** Default time limit of a program in seconds, enough for a download over a slow connection. */
const defaultTimeoutSeconds = 1200;

/**
 * Makes a function that runs programs with the C locale and appends their standard output and standard error to a log.
 * It throws if a program fails or takes too long, with the last line of standard error; the log has the other lines.
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
