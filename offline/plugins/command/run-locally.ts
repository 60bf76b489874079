import { type ChildProcess, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import type { Operation } from "../protocol/operation.ts";
import { isMap, scalarText } from "../protocol/property-value.ts";
import { captured } from "./captured-output.ts";
import type { CommandRun, RunCommand } from "./command-type.ts";
import { beforeExit } from "../protocol/plugin-server.ts";

/**
 * Runs a command on this machine, in its own process group, which is ended as a whole if the operation ends early or the
 * engine is gone. Like the official plugin, it waits until no process holds the output open.
 */
export const runLocally: RunCommand = async (run, operation) => {
  const { dir } = run.inputs;
  if (typeof dir === "string") await requireFolder(dir);
  return captured(run, operation, (add) => {
    const child = spawn("/bin/sh", ["-c", run.script], {
      cwd: typeof dir === "string" ? dir : process.cwd(),
      env: environment(run),
      detached: true,
      stdio: [run.inputs["stdin"] === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    guardProcessGroup(child);
    child.stdout?.on("data", (chunk: Buffer) => add("stdout", chunk));
    child.stderr?.on("data", (chunk: Buffer) => add("stderr", chunk));
    // A command need not read all of its input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(run.inputs["stdin"]);
    return failureOf(child, operation);
  });
};

/** Waits for the end. Resolves to why it failed, or undefined. */
async function failureOf(child: ChildProcess, operation: Operation): Promise<string | undefined> {
  const { signal } = operation;
  const ended = new Promise<string | undefined>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, killedBy) => {
      if (killedBy !== null) resolve(`ended by ${killedBy}`);
      else resolve(code === 0 ? undefined : `exit status ${String(code)}`);
    });
  });
  const abort = (): void => endProcessGroup(child);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    const failure = await ended;
    return signal.aborted ? (signal.reason as Error).message : failure;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function requireFolder(dir: string): Promise<void> {
  const found = await stat(dir).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new Error(`dir ${dir} is not a folder (relative to ${process.cwd()})`);
  }
}

function environment({ inputs, previous }: CommandRun): NodeJS.ProcessEnv {
  const own = isMap(inputs["environment"]) ? inputs["environment"] : {};
  const result: NodeJS.ProcessEnv = { ...process.env };
  for (const [name, value] of Object.entries(own)) result[name] = scalarText(value);
  if (inputs["addPreviousOutputInEnv"] !== false) {
    if (previous.stdout !== "") result["PULUMI_COMMAND_STDOUT"] = previous.stdout;
    if (previous.stderr !== "") result["PULUMI_COMMAND_STDERR"] = previous.stderr;
  }
  return result;
}

/** Time a command has to end after SIGTERM, before it is killed. */
const GRACE_MILLISECONDS = 2000;

/** The same time if the plugin itself has to end. */
const EXIT_GRACE_MILLISECONDS = 300;

const guarded = new Set<ChildProcess>();

beforeExit(() => {
  if (guarded.size === 0) return;
  for (const child of guarded) signalGroup(child, "SIGTERM");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EXIT_GRACE_MILLISECONDS);
  for (const child of guarded) signalGroup(child, "SIGKILL");
});

/** Ensures that a child's process group does not outlive the plugin, until the child's output has ended. */
function guardProcessGroup(child: ChildProcess): void {
  guarded.add(child);
  child.once("close", () => guarded.delete(child));
}

/**
 * Ends a child's process group with SIGTERM, then with SIGKILL. Closes output that a process outside of the group still
 * holds open, so that waiting for it ends too.
 */
function endProcessGroup(child: ChildProcess): void {
  signalGroup(child, "SIGTERM");
  const timer = setTimeout(() => {
    signalGroup(child, "SIGKILL");
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, GRACE_MILLISECONDS);
  child.once("close", () => clearTimeout(timer));
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is empty.
  }
}
