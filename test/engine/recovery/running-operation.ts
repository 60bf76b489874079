import { execa } from "execa";
import { access } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ScratchProject } from "./scratch-project.ts";

/** An engine operation under way in a process of its own. */
export interface RunningOperation {
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Exit code (nothing when a signal ended it) and all output. */
  readonly end: Promise<{ readonly exitCode: number | undefined; readonly output: string }>;
}

/**
 * Starts an operation the way `kindows` does.
 *
 * @param environment Changes to the engine's environment; undefined takes a variable away.
 */
export function startOperation(
  { pulumi }: ScratchProject,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): RunningOperation {
  const workplace = {
    ...pulumi.workplace,
    environment: { ...pulumi.workplace.environment, ...environment },
  };
  const child = execa(
    process.execPath,
    ["--import", "tsx", path.join(import.meta.dirname, "run-operation.ts")],
    {
      input: JSON.stringify({ stack: pulumi.stack, workplace, args }),
      all: true,
      reject: false,
      timeout: 300_000,
    },
  );
  return {
    kill: (signal) => void child.kill(signal),
    end: child.then(({ exitCode, all }) => ({ exitCode, output: all })),
  };
}

/** Waits for a condition, asked for ten times a second. @throws after five minutes, with what was waited for */
export async function eventually(what: string, met: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (!(await met())) {
    if (Date.now() > deadline) {
      throw new Error(`waited 300 s for ${what}`);
    }
    await sleep(100);
  }
}

/** Whether a file is there. */
export function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
