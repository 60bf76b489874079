import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

import { parseStartTicks } from "../../toolchain/owner.ts";

const lockSchema = z.object({
  pid: z.number(),
  username: z.string(),
  hostname: z.string(),
  timestamp: z.coerce.date(),
});

/** A backend's lock of a stack. Its holder is changing the stack, or was killed while doing so. */
export type EngineLock = z.infer<typeof lockSchema>;

type Verdict = "dead" | "alive" | "elsewhere";

interface SeenProcess {
  readonly program: string;
  readonly startedAt: Date;
}

/** Tolerance, because the start of a process is known only to a clock tick. */
const toleranceMilliseconds = 2000;

/**
 * Whether the holder of a lock still runs.
 *
 * Process numbers are reused, so the process must be a pulumi and older than its lock. A lock of another host cannot be
 * checked.
 */
export function checkLock(
  lock: EngineLock,
  hostname: string,
  found: SeenProcess | undefined,
): Verdict {
  if (lock.hostname !== hostname) return "elsewhere";
  if (found === undefined || found.program !== "pulumi") return "dead";
  const age = lock.timestamp.getTime() - found.startedAt.getTime();
  return age >= -toleranceMilliseconds ? "alive" : "dead";
}

/** Locks of a stack; an incomplete one counts as a lock without an owner on this host. */
export async function readLocks(folder: string, hostname: string): Promise<readonly EngineLock[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  const files = names.filter((name) => name.endsWith(".json"));
  return Promise.all(
    files.map(async (name) => {
      try {
        return lockSchema.parse(JSON.parse(await readFile(path.join(folder, name), "utf8")));
      } catch {
        return { pid: 0, username: "nobody", hostname, timestamp: new Date(0) };
      }
    }),
  );
}

/** Locks in an engine's error message, which names them for any backend (pkg/backend/diy/lock.go). */
export function locksInMessage(text: string): readonly EngineLock[] {
  const matches = text.matchAll(/created by (\S+)@(\S+) \(pid ([0-9]+)\) at (\S+)/g);
  return [...matches].flatMap(([, username, hostname, pid, timestamp]) => {
    const { data } = lockSchema.safeParse({ username, hostname, timestamp, pid: Number(pid) });
    return data ?? [];
  });
}

/** The kernel's unit in /proc/PID/stat; 100 a second on every Linux that Node.js runs on. */
const ticksPerSecond = 100;

export async function seenProcess(pid: number): Promise<SeenProcess | undefined> {
  try {
    const [name, stat, system] = await Promise.all([
      readFile(`/proc/${pid}/comm`, "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile("/proc/stat", "utf8"),
    ]);
    const ticks = parseStartTicks(stat);
    const bootSeconds = /^btime ([0-9]+)$/m.exec(system)?.[1];
    if (ticks === undefined || bootSeconds === undefined) return undefined;
    const startSeconds = Number(bootSeconds) + Number(ticks) / ticksPerSecond;
    return { program: name.trim(), startedAt: new Date(startSeconds * 1000) };
  } catch {
    return undefined;
  }
}
