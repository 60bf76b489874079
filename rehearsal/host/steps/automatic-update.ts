import * as z from "zod";
import type { WindowsHost } from "../windows-host.ts";

const recordPath = "C:\\kindows\\state\\automatic-update.json";
const recordSchema = z.object({ noAutoUpdate: z.int().nullable() });

/** Gives the policy back what it was before; whether it was ours. */
export async function restoreAutomaticUpdate(host: WindowsHost): Promise<boolean> {
  const text = await host.drive.readText(recordPath);
  if (text === undefined) return false;
  await host.settings.setNoAutoUpdate(recordSchema.parse(JSON.parse(text)).noAutoUpdate);
  await host.drive.remove(recordPath);
  return true;
}
