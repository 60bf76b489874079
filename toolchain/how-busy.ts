import { readFile } from "node:fs/promises";
import os from "node:os";
import { statFields } from "./owner.ts";
import { formatSeconds } from "./progress-text.ts";

interface Times {
  /** Seconds that passed. */
  readonly wall: number;
  /** Processor seconds of the programs that this process ran, once they have ended. */
  readonly programs: number;
}

/** Of /proc/PID/stat; the same on every Linux. */
const ticksPerSecond = 100;

export async function timesSoFar(): Promise<Times> {
  const stat = await readFile("/proc/self/stat", "utf8");
  return { wall: performance.now() / 1000, programs: secondsOfChildren(stat) };
}

/** User and system time of children that have ended, and of theirs. */
function secondsOfChildren(stat: string): number {
  const { 16: user, 17: system } = statFields(stat);
  return (Number(user) + Number(system)) / ticksPerSecond;
}

/** How much of the processors was used between two times; undefined for less than a minute, which nobody waits for. */
export function howBusy(
  begun: Times,
  ended: Times,
  cores = os.availableParallelism(),
): string | undefined {
  const wall = ended.wall - begun.wall;
  if (wall < 60) return undefined;
  const programs = ended.programs - begun.programs;
  const percent = Math.round((100 * programs) / (wall * cores));
  return `made all in ${formatSeconds(wall)}: ${Math.round(programs)} processor seconds, ${percent} % of ${cores} cores`;
}
