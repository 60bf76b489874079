import { readFile } from "node:fs/promises";

/** Number of CAP_SYS_RESOURCE (linux/capability.h). */
const sysResource = 24n;

/** Whether a process of this host can ever get CAP_SYS_RESOURCE; some sandboxes take it from everything in them. */
export async function mayHaveSysResource(): Promise<boolean> {
  return boundingSetHasSysResource(await readFile("/proc/self/status", "utf8"));
}

/** The same from the content of /proc/PID/status. */
export function boundingSetHasSysResource(status: string): boolean {
  const mask = /^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  if (mask === undefined) {
    throw new Error("/proc/self/status has no CapBnd line: is this Linux?");
  }
  return ((BigInt(`0x${mask}`) >> sysResource) & 1n) === 1n;
}
