/** Programs that take as long as a busy machine needs, and are ended only where they no longer get on. */
import { statSync } from "node:fs";
import { execa, type Options } from "execa";

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A program that did not end by itself, and what it said. */
export class Cut extends Error {}

/** Between two looks at what a program has written. One that starts may wait for a processor for minutes. */
const lookSeconds = 600;

/**
 * Runs a program, which is cut short once it has written nothing from one look to the next.
 *
 * @param writes The file that grows while it gets on. Default: it writes to its standard output or error.
 */
export async function runUnhurried(
  program: string,
  args: readonly string[],
  options: Pick<Options, "cwd" | "env" | "input">,
  writes?: string,
): Promise<Ended> {
  const cut = new AbortController();
  const running = execa(program, args, {
    ...{ ...options, stripFinalNewline: false, reject: false, cancelSignal: cut.signal },
  });
  let said = 0;
  const count = (data: Buffer): void => void (said += data.length);
  running.stdout.on("data", count);
  running.stderr.on("data", count);
  let seen = 0;
  const look = setInterval(() => {
    const written =
      writes === undefined ? said : (statSync(writes, { throwIfNoEntry: false })?.size ?? 0);
    if (written === seen) cut.abort();
    seen = written;
  }, lookSeconds * 1000);
  try {
    const { stdout, stderr, exitCode, isCanceled, shortMessage } = await running;
    if (exitCode !== undefined) return { stdout, stderr, exitCode };
    const why = isCanceled ? `it wrote nothing for ${lookSeconds} s` : shortMessage;
    const last = (stderr || stdout).trim().slice(-500);
    throw new Cut(`${[program, ...args].join(" ")}: ${why}. ${last}`.trim());
  } finally {
    clearInterval(look);
  }
}
