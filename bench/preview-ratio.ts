import { benchLab, inEngineShell } from "./bench-lab.ts";
import { emptyProgram } from "./empty-program.ts";
import { inTurn } from "./in-turn.ts";
import type { Ratio } from "./report.ts";

/** A preview without changes, of a lab that is up, over the preview of an empty program. */
export async function previewRatio(): Promise<Ratio> {
  const empty = await emptyProgram();
  const lab = `pulumi preview --stack ${benchLab.stack} --expect-no-changes --non-interactive`;
  const nothing = `pulumi --cwd ${empty.folder} preview --stack empty --non-interactive`;
  try {
    const times = await inTurn(
      { what: "preview without changes", seconds: () => shellSeconds(lab) },
      { what: "preview of an empty program", seconds: () => shellSeconds(nothing) },
    );
    return { what: "preview without changes / empty program", ...times, aim: "at most 1.5" };
  } finally {
    await empty.dispose();
  }
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
