import { readFile } from "node:fs/promises";

/** Memory of this host. */
export interface MemoryFacts {
  /** What the kernel thinks could be had without swapping, in MiB. */
  readonly availableMiB: number;
  readonly totalMiB: number;
}

/** Reads /proc/meminfo. */
export async function gatherMemory(): Promise<MemoryFacts> {
  return memoryIn(await readFile("/proc/meminfo", "utf8"));
}

/** @throws when a line that every kernel since 3.14 has is missing. */
export function memoryIn(table: string): MemoryFacts {
  const mib = (key: string): number => {
    const kib = new RegExp(`^${key}:\\s+(\\d+) kB$`, "m").exec(table)?.[1];
    if (kib === undefined) {
      throw new Error(`/proc/meminfo has no line ${key}`);
    }
    return Math.floor(Number(kib) / 1024);
  };
  return { availableMiB: mib("MemAvailable"), totalMiB: mib("MemTotal") };
}
