import type { ChildProcess } from "node:child_process";
import { beforeExit } from "../protocol/plugin-server.ts";

/** How long a command may take to end after it was asked to; then it is killed. */
const GRACE_MILLISECONDS = 2000;

/** The same if the plugin itself has to end. */
const EXIT_GRACE_MILLISECONDS = 300;

const guarded = new Set<ChildProcess>();

beforeExit(() => {
  if (guarded.size === 0) return;
  for (const child of guarded) signalGroup(child, "SIGTERM");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EXIT_GRACE_MILLISECONDS);
  for (const child of guarded) signalGroup(child, "SIGKILL");
});

/** Ensures that a child's process group does not outlive the plugin, until the child's output has ended. */
export function guardProcessGroup(child: ChildProcess): void {
  guarded.add(child);
  child.once("close", () => guarded.delete(child));
}

/**
 * Ends a child's process group: asks first, then kills. Closes output that a process outside of the group still holds open,
 * so that waiting for it ends too.
 */
export function endProcessGroup(child: ChildProcess): void {
  signalGroup(child, "SIGTERM");
  const timer = setTimeout(() => {
    signalGroup(child, "SIGKILL");
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, GRACE_MILLISECONDS);
  child.once("close", () => {
    clearTimeout(timer);
  });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is empty.
  }
}
