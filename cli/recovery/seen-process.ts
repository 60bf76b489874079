import { readFile } from "node:fs/promises";

import { parseStartTicks } from "../../toolchain/owner.ts";
import type { SeenProcess } from "./locks.ts";

/** The kernel's unit in /proc/PID/stat; 100 a second on every Linux that Node.js runs on. */
const ticksPerSecond = 100;

/** The running process with this number, if there is one. */
export async function seenProcess(pid: number): Promise<SeenProcess | undefined> {
  try {
    const [name, stat, system] = await Promise.all([
      readFile(`/proc/${pid}/comm`, "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile("/proc/stat", "utf8"),
    ]);
    const ticks = parseStartTicks(stat);
    const bootSeconds = /^btime ([0-9]+)$/m.exec(system)?.[1];
    if (ticks === undefined || bootSeconds === undefined) {
      return undefined;
    }
    const startSeconds = Number(bootSeconds) + Number(ticks) / ticksPerSecond;
    return { program: name.trim(), startedAt: new Date(startSeconds * 1000) };
  } catch {
    return undefined;
  }
}
