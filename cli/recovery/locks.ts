import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

const lockSchema = z.object({
  pid: z.number(),
  username: z.string(),
  hostname: z.string(),
  timestamp: z.coerce.date(),
});

/** Lock of the file backend: who changes the stack, or did so when it was killed. */
export type EngineLock = z.infer<typeof lockSchema>;

export type Verdict = "dead" | "alive" | "elsewhere";

/** A process as the host sees it. */
export interface SeenProcess {
  /** Name of its program. */
  readonly program: string;
  readonly startedAt: Date;
}

/** Clocks: the start of a process is only known to a tick, and a lock is written shortly after it. */
const toleranceMilliseconds = 2000;

/**
 * Whether the holder of a lock still runs.
 *
 * Process numbers are used again, so the process must be a pulumi and older than its lock. A lock of another host
 * can't be judged from here.
 */
export function judgeLock(
  lock: EngineLock,
  hostname: string,
  found: SeenProcess | undefined,
): Verdict {
  if (lock.hostname !== hostname) {
    return "elsewhere";
  }
  if (found === undefined || found.program !== "pulumi") {
    return "dead";
  }
  const age = lock.timestamp.getTime() - found.startedAt.getTime();
  return age >= -toleranceMilliseconds ? "alive" : "dead";
}

/** Locks of a stack; a half-written one counts as a lock of nobody on this host. */
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
