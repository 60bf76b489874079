import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectRoot } from "../../toolchain/project.ts";

/** Longest wait for the rest of a command's output after it has ended. */
const restOfOutputMilliseconds = 5000;

export interface Finished {
  readonly exitCode: number | undefined;
  readonly output: string;
  readonly seconds: number;
}

export interface GroupOptions {
  /** File for the command's output, readable only by its owner. */
  readonly logFile: string;
  readonly onText?: (text: string, pid: number) => void;
  /** Sends the group SIGTERM. */
  readonly signal?: AbortSignal;
}

export async function runAsGroup(
  command: string,
  args: readonly string[],
  { logFile, onText, signal }: GroupOptions,
): Promise<Finished> {
  await mkdir(path.dirname(logFile), { recursive: true });
  const log = createWriteStream(logFile, { mode: 0o600 });
  const started = Date.now();
  const child = spawn(command, args, {
    cwd: projectRoot,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      log.write(text);
      output += text;
      onText?.(text, child.pid ?? NaN);
    });
  }
  const closed = new Promise((resolve) => child.once("close", resolve));
  const signalGroup = (what: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid ?? NaN), what);
    } catch {
      // It has ended by itself.
    }
  };
  // Otherwise the group would outlive this process.
  const kill = (): void => signalGroup("SIGKILL");
  const end = (): void => signalGroup("SIGTERM");
  process.once("exit", kill);
  signal?.addEventListener("abort", end);
  try {
    const exitCode = await new Promise<number | undefined>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code) => resolve(code ?? undefined));
    });
    // The exit comes before the last output. Not awaited for long, because a started daemon may hold the output open.
    await Promise.race([closed, sleep(restOfOutputMilliseconds, undefined, { ref: false })]);
    return { exitCode, output, seconds: (Date.now() - started) / 1000 };
  } finally {
    process.off("exit", kill);
    signal?.removeEventListener("abort", end);
    log.end();
  }
}
