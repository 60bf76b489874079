import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { execa } from "execa";

export interface RunLoggedOptions {
  readonly logFile: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
}

/** Appends a command's output to a log. @throws if it fails or takes too long, with its name and exit code. */
export async function runLogged(
  command: string,
  args: readonly string[],
  options: RunLoggedOptions,
): Promise<void> {
  const log = createWriteStream(options.logFile, { flags: "a" });
  log.write(`$ ${[command, ...args].join(" ")}\n`);
  const running = execa(command, args, {
    cwd: options.cwd,
    env: options.env ?? {},
    stdin: "ignore",
    timeout: options.timeoutSeconds * 1000,
    buffer: false,
    reject: false,
  });
  running.stdout.pipe(log, { end: false });
  running.stderr.pipe(log, { end: false });
  const result = await running;
  log.end();
  await finished(log);
  if (result.timedOut) throw new Error(`${command} was ended after ${options.timeoutSeconds} s`);
  if (result.failed) {
    const how =
      result.exitCode === undefined ? result.shortMessage : `exit code ${result.exitCode}`;
    throw new Error(`${command} failed (${how})`);
  }
}
