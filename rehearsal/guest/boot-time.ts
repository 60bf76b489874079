import { readFile, writeFile } from "node:fs/promises";

/**
 * When this boot began, to the second; the same for the whole boot.
 *
 * Linux computes it from the clock anew each time it is asked, so the first answer is kept.
 *
 * @param record file that does not survive a reboot.
 */
export async function readBootTime(procStat: string, record: string): Promise<Date> {
  const kept = await readFile(record, "utf8").catch(() => undefined);
  if (kept !== undefined) return new Date(kept);
  const seconds = /^btime (\d+)$/m.exec(await readFile(procStat, "utf8"))?.[1];
  if (seconds === undefined) throw new Error(`${procStat} has no btime`);
  const bootTime = new Date(Number(seconds) * 1000);
  await writeFile(record, bootTime.toISOString());
  return bootTime;
}
