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

/** Fields of /proc/PID/stat by their numbers in proc(5), from 3 on. Field 2 may contain spaces and brackets. */
export function statFields(stat: string): readonly (string | undefined)[] {
  const afterName = stat.slice(stat.lastIndexOf(")") + 1).trim();
  return [undefined, undefined, undefined, ...afterName.split(" ")];
}

/** When the process started; undefined for a zombie. */
export function parseStartTicks(stat: string): string | undefined {
  const { 3: state, 22: startTicks } = statFields(stat);
  return state === "Z" || state === "X" ? undefined : startTicks;
}

async function bootId(): Promise<string> {
  return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
}
