import { kindows } from "./bench-lab.ts";
import { median, printFigure } from "./report.ts";
import type { Ratio } from "./report.ts";

/** Measurements of each; in turn, so that what else the machine does hits both. */
const rounds = 5;

/** `kindows status` of a lab that is up, over a command that only prints its help. */
export async function statusRatio(): Promise<Ratio> {
  const seconds = { status: [] as number[], help: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    seconds.status.push((await kindows("status")).seconds);
    seconds.help.push((await kindows("--help")).seconds);
  }
  const [measured, base] = [median(seconds.status), median(seconds.help)];
  printFigure({ what: `status, median of ${rounds}`, seconds: measured });
  printFigure({ what: `a command that prints its help, median of ${rounds}`, seconds: base });
  return { what: "status / a command that does nothing", measured, base, aim: "no slower" };
}
