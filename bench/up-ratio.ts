import { readStateFile } from "../cli/recovery/state-file.ts";
import { benchLab, configureNodes, kindows } from "./bench-lab.ts";
import { stepSecondsOf } from "./join-seconds.ts";
import { kindAlone } from "./kind-alone.ts";
import { machineAlone } from "./machine-alone.ts";
import { printFigure, timed } from "./report.ts";
import type { Ratio } from "./report.ts";

/**
 * `up` of a lab with one node, from nothing, over its lower bound: the longer of a kind cluster alone and a machine's
 * power-on to SSH alone, plus what the steps on the machine took by themselves. And over the same with the second boot,
 * which the feature Containers asks for and no step's own time holds.
 *
 * Leaves the lab up.
 *
 * @returns both; the first one's `measured` is the time of `up`.
 */
export async function upRatios(): Promise<readonly [Ratio, Ratio]> {
  await configureNodes(1);
  await kindows("down");
  const kind = await kindAlone();
  await kindows("down");
  const machine = await machineAlone();
  await kindows("down");

  const measured = await timed("up from nothing, one node", () => kindows("up"));
  const state = await readStateFile(benchLab.stack);
  const steps = state === undefined ? new Map<string, number>() : stepSecondsOf("win-1", state);
  if (!steps.has("Join-Node")) {
    throw new Error("the state holds no result of the step Join-Node: was win-1 joined?");
  }
  for (const [step, seconds] of steps) {
    printFigure({ what: `  step ${step}`, seconds });
  }
  const stepsTogether = [...steps.values()].reduce((sum, seconds) => sum + seconds, 0);
  const base = Math.max(kind, machine) + stepsTogether;
  printFigure({ what: "lower bound: max(kind, machine) + steps", seconds: base });
  const aim = "at most 1.3";
  return [
    { what: "up / lower bound", measured, base, aim },
    { what: "up / lower bound with the reboot", measured, base: base + machine, aim },
  ];
}
