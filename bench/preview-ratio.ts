import { benchLab, inEngineShell } from "./bench-lab.ts";
import { emptyProgram } from "./empty-program.ts";
import { median, printFigure } from "./report.ts";
import type { Ratio } from "./report.ts";

/** Measurements of each; in turn, so that what else the machine does hits both. */
const rounds = 5;

/** A preview without changes, of a lab that is up, over the preview of an empty program. */
export async function previewRatio(): Promise<Ratio> {
  const empty = await emptyProgram();
  const seconds = { lab: [] as number[], empty: [] as number[] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      const lab = `pulumi preview --stack ${benchLab.stack} --expect-no-changes --non-interactive`;
      seconds.lab.push(await shellSeconds(lab));
      const nothing = `pulumi --cwd ${empty.folder} preview --stack empty --non-interactive`;
      seconds.empty.push(await shellSeconds(nothing));
    }
  } finally {
    await empty.dispose();
  }
  const measured = median(seconds.lab);
  const base = median(seconds.empty);
  printFigure({ what: `preview without changes, median of ${rounds}`, seconds: measured });
  printFigure({ what: `preview of an empty program, median of ${rounds}`, seconds: base });
  return { what: "preview without changes / empty program", measured, base, aim: "under 2" };
}

/** Time of the command itself, in seconds: without the shell that gives it its environment. */
async function shellSeconds(command: string): Promise<number> {
  const { output } = await inEngineShell(`TIMEFORMAT="took %R"; time ${command}`);
  const took = /^took ([0-9.]+)$/m.exec(output)?.[1];
  if (took === undefined) {
    throw new Error(`the shell did not say how long \`${command}\` took`);
  }
  return Number(took);
}
