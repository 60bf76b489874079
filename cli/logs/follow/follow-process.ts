import { spawn } from "node:child_process";

import { SourceRefused } from "./lost-source.ts";

/** Seconds after which a program that says nothing is taken to have what it needs. */
const settledSeconds = 5;

export interface ProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Takes its output as it comes. */
  readonly output: (part: Buffer) => void;
  readonly alive: () => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Runs a program that follows a log, until it is told to end.
 *
 * Its standard input stays open as long as this process lives: what it runs elsewhere can end when that is closed.
 *
 * @throws SourceRefused when there is no such program.
 * @throws when it ends by itself, with its last words.
 */
export async function followProcess(options: ProcessOptions): Promise<void> {
  const { program, args, output, alive, signal } = options;
  // A group of its own: a ^C at the terminal is for this process.
  const child = spawn(program, [...args], { stdio: ["pipe", "pipe", "pipe"], detached: true });
  const settled = setTimeout(alive, settledSeconds * 1000);
  const stop = (): void => {
    child.stdin.end();
    child.kill("SIGTERM");
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let words = "";
  child.stdin.on("error", () => undefined);
  child.stdout.on("data", (part: Buffer) => {
    alive();
    output(part);
  });
  child.stderr.on("data", (part: Buffer) => (words = (words + part.toString()).slice(-2000)));
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", (error: NodeJS.ErrnoException) =>
        reject(
          error.code === "ENOENT"
            ? new SourceRefused(`there is no ${program} on this host`)
            : error,
        ),
      );
      child.on("close", resolve);
    });
    if (signal.aborted) return;
    const last = words.trim().split("\n").at(-1) ?? "";
    throw new Error(last === "" ? `${program} ended with exit code ${code ?? "none"}` : last);
  } finally {
    clearTimeout(settled);
    signal.removeEventListener("abort", stop);
  }
}
