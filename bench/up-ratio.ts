import { readState } from "../cli/engine/states.ts";
import { stepResultsOf } from "../test/e2e/lab.ts";
import { benchLab, configureNodes, kindows } from "./bench-lab.ts";
import { kindAlone } from "./kind-alone.ts";
import { machineAlone } from "./machine-alone.ts";
import { printFigure, timed } from "./report.ts";
import type { Ratio } from "./report.ts";

/**
 * `up` of a lab with one node, from nothing, over its lower bound: the longer of a kind cluster alone and a machine's
 * power-on to SSH alone, plus what the steps on the machine took by themselves.
 *
 * Once with the image that has everything baked in, and once with the bare one: there the second boot counts as well,
 * which the feature Containers asks for and no step's own time holds. Leaves the baked one up.
 *
 * @returns the baked one's first; its `measured` is the time of `up`.
 */
export async function upRatios(): Promise<readonly [Ratio, Ratio]> {
  await configureNodes(1);
  await kindows("down");
  const kind = await kindAlone();
  await kindows("down");
  const bare = await upRatio("bare", kind);
  const baked = await upRatio("baked", kind);
  return [baked, bare];
}

async function upRatio(image: "bare" | "baked", kind: number): Promise<Ratio> {
  await configureNodes(1, image);
  await kindows("prepare");
  const machine = await machineAlone();
  await kindows("down");
  const measured = await timed(`up from nothing, one node, ${image} image`, () => kindows("up"));
  const boots = image === "bare" ? 2 : 1;
  const steps = await stepsTogether();
  const base = Math.max(kind, machine) + (boots - 1) * machine + steps;
  printFigure({ what: "lower bound: max(kind, machine) + steps", seconds: base });
  if (image === "bare") {
    await kindows("down");
  }
  const what = `up / lower bound${image === "bare" ? ", bare image, with its reboot" : ""}`;
  return { what, measured, base, aim: "at most 1.3" };
}

/** What the steps on the machine took, each by itself. */
async function stepsTogether(): Promise<number> {
  const state = await readState(benchLab.stack);
  const steps = state === undefined ? undefined : stepResultsOf("win-1", state);
  if (steps?.has("Join-Node") !== true) {
    throw new Error("the state holds no result of the step Join-Node: was win-1 joined?");
  }
  for (const { step, seconds } of steps.values()) {
    printFigure({ what: `  step ${step}`, seconds });
  }
  return [...steps.values()].reduce((sum, { seconds }) => sum + seconds, 0);
}
