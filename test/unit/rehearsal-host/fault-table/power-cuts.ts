import { PowerLost } from "../../../../rehearsal/host/power-lost.ts";
import type { RehearsalHost } from "../../../rehearsed-machine/in-process.ts";
import {
  goodArguments,
  joinInput,
  runStep,
  startWithSteps,
  type StepName,
  stepNames,
} from "../step-runner.ts";
import { listing } from "../machine-listing.ts";
import { differences } from "./lab.ts";
import { type Extent, playedPlaces } from "./extent.ts";
import { type Snapshot, snapshotsOfRows } from "./lab.ts";
import type { Row } from "./rows.ts";
import { sideBySide } from "./extent.ts";

/** Machines side by side: some of their time is waiting. */
const atOnce = 6;
/** No script makes more changes. */
const most = 500;

/** What an export that was cut short has left: a later one removes it after a day. */
const ofAnExport = "/kindows/logs-";

/** In how many places the power can be cut, and what was wrong after those that were played, by step. */
export type PowerCuts = ReadonlyMap<
  Row,
  { readonly places: number; readonly problems: readonly string[] }
>;

/** Cuts the power before changes that each step makes; the places are found by running the script. */
export async function cutThePower(extent: Extent, end?: AbortSignal): Promise<PowerCuts> {
  const snapshots = await snapshotsOfRows();
  const steps = stepNames.map((step) => ({ step, snapshot: snapshots.get(step) as Snapshot }));
  const results = new Map<Row, { places: number; problems: string[] }>();
  await sideBySide(steps, atOnce, end, async ({ step, snapshot }) => {
    results.set(step, { places: await changesOf(step, snapshot), problems: [] });
  });
  const cuts = steps.flatMap((each) =>
    playedPlaces(results.get(each.step)?.places ?? 0, extent).map((at) => ({ ...each, at })),
  );
  await sideBySide(cuts, atOnce, end, async ({ step, snapshot, at }) => {
    const found = await cut(step, at, snapshot);
    results.get(step)?.problems.push(...found.map((problem) => `before change ${at}: ${problem}`));
  });
  return results;
}

/** How many changes a step makes: it goes on when the connection breaks, here before each of them. */
async function changesOf(step: StepName, { before }: Snapshot): Promise<number> {
  const faults = Array.from({ length: most }, (_, index) => {
    return { kind: "dropConnection", step, at: index + 1 } as const;
  });
  const host = await startWithSteps({ drive: before, faults });
  let changes = 0;
  try {
    await run(host, step, () => (changes += 1));
    return changes;
  } finally {
    await host.stop();
  }
}

/** A step is cut off before its n-th change and run again; what is wrong then. */
async function cut(step: StepName, at: number, { before, after }: Snapshot): Promise<string[]> {
  const host = await startWithSteps({ drive: before, faults: [{ kind: "reboot", step, at }] });
  try {
    const first = await run(host, step);
    if (!first.isCut) return ["it makes no such change"];
    const again = await run(host, step);
    return again.exitCode === 0
      ? differences(after, await listing(host)).filter((each) => !each.startsWith(ofAnExport))
      : [`the next run ended with ${again.exitCode}`];
  } finally {
    await host.stop();
  }
}

/** Runs a step as far as the machine has power, then waits until it is up again. */
async function run(
  host: RehearsalHost,
  step: StepName,
  onDrop?: () => void,
): Promise<{ isCut: boolean; exitCode?: number }> {
  try {
    const { exitCode } = await runStep(host, step, goodArguments(host)[step], joinInput, onDrop);
    return { isCut: false, exitCode };
  } catch (error) {
    if (!(error instanceof PowerLost)) throw error;
    return { isCut: true };
  } finally {
    await host.windows.tasksEnded();
    await host.up();
  }
}
