import * as z from "zod";
import type { WindowsHost } from "../windows-host.ts";

const recordPath = "C:\\kindows\\state\\automatic-update.json";
const recordSchema = z.object({ noAutoUpdate: z.int().nullable() });

/** Keeps Windows from updating by itself, as lib/AutomaticUpdate.ps1; whether it did until now. */
export async function disableAutomaticUpdate(host: WindowsHost): Promise<boolean> {
  const before = host.settings.noAutoUpdate;
  if (before === 1) return false;
  if (!(await host.drive.isFile(recordPath))) {
    await host.drive.write(recordPath, JSON.stringify({ noAutoUpdate: before, hadKey: false }));
  }
  await host.settings.setNoAutoUpdate(1);
  return true;
}

/** Gives the policy back what it was before; whether it was ours. */
export async function restoreAutomaticUpdate(host: WindowsHost): Promise<boolean> {
  const text = await host.drive.readText(recordPath);
  if (text === undefined) return false;
  await host.settings.setNoAutoUpdate(recordSchema.parse(JSON.parse(text)).noAutoUpdate);
  await host.drive.remove(recordPath);
  return true;
}
