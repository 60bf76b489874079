import { readFile } from "node:fs/promises";

/** A process. Its pid alone is not enough: pids are reused, and a lock file survives a reboot. */
export interface Owner {
  readonly pid: number;
  /** Start of the process in clock ticks after boot (field 22 of /proc/PID/stat). */
  readonly startTicks: string;
  /** Content of /proc/sys/kernel/random/boot_id. */
  readonly bootId: string;
}

export async function thisProcess(): Promise<Owner> {
  const owner = await ownerOf(process.pid);
  if (owner === undefined) {
    throw new Error(`/proc/${process.pid}/stat cannot be read: kindows needs /proc`);
  }
  return owner;
}

export async function ownerOf(pid: number): Promise<Owner | undefined> {
  const startTicks = await startTicksOf(pid);
  return startTicks === undefined ? undefined : { pid, startTicks, bootId: await bootId() };
}

/** Whether that process still runs; a zombie counts as dead. */
export async function isAlive(owner: Owner): Promise<boolean> {
  if (owner.bootId !== (await bootId())) return false;
  return (await startTicksOf(owner.pid)) === owner.startTicks;
}

async function startTicksOf(pid: number): Promise<string | undefined> {
  try {
    return parseStartTicks(await readFile(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined;
  }
}

/** Field 22 of /proc/PID/stat; undefined for a zombie. Field 2 may contain spaces and brackets. */
export function parseStartTicks(stat: string): string | undefined {
  const afterName = stat
    .slice(stat.lastIndexOf(")") + 1)
    .trim()
    .split(" ");
  return afterName[0] === "Z" || afterName[0] === "X" ? undefined : afterName[19];
}

async function bootId(): Promise<string> {
  return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
}
