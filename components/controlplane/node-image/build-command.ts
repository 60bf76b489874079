import { appendFile } from "node:fs/promises";
import { execa } from "execa";

/** Runs a program of a build to its end. */
export type RunCommand = (
  program: string,
  args: readonly string[],
  options?: { readonly input?: string; readonly timeoutSeconds?: number },
) => Promise<string>;

/** Longest any single program of a build may take, in seconds: debootstrap over a slow line. */
const defaultTimeoutSeconds = 1200;

/**
 * Programs run with the C locale; their output goes to the build's log as well, the failing one's tail into the error.
 */
export function commandRunner(logFile: string): RunCommand {
  const log = { file: logFile, append: true };
  return async (program, args, options = {}) => {
    await appendFile(logFile, `$ ${program} ${args.join(" ")}\n`);
    const { stdout } = await execa(program, args, {
      input: options.input ?? "",
      env: { LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" },
      timeout: (options.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
      stdout: ["pipe", log],
      stderr: ["pipe", log],
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  };
}
