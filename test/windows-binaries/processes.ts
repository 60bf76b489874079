import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

/** Linux processes of a Windows program, in the namespace of these tests. */
export function processesOf(program: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [loader, exe] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return [loader, exe].some((word) => word?.endsWith(`\\${program}`));
      } catch {
        return false; // it has ended
      }
    })
    .map(Number);
}

export function processOf(program: string): number {
  const [pid] = processesOf(program);
  assert.ok(pid, `${program} does not run`);
  return pid;
}
