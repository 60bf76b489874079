import * as z from "zod";
import type { WindowsHost } from "../windows-host.ts";

const path = "C:\\kindows\\state\\reboot.json";
const recordSchema = z.object({ lastBootUpTime: z.string() });

/** Records that a reboot is needed, and since which boot. */
export async function saveRebootRecord(host: WindowsHost): Promise<void> {
  await host.drive.write(path, JSON.stringify({ lastBootUpTime: host.lastBootUpTime }));
}

/** Time of the boot that a needed reboot has to follow; undefined where none was needed. */
export async function getRebootRecord(host: WindowsHost): Promise<string | undefined> {
  const text = await host.drive.readText(path);
  // What a power cut has left empty, or half written, was followed by a boot anyhow.
  if (text === undefined || !/^\{.*\}$/.test(text)) return undefined;
  return recordSchema.parse(JSON.parse(text)).lastBootUpTime;
}

export async function removeRebootRecord(host: WindowsHost): Promise<void> {
  await host.drive.remove(path);
}
