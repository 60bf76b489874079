import { PowerLost } from "../../../../rehearsal/host/power-lost.ts";
import { type StepName, stepNames } from "../../../../rehearsal/host/step-names.ts";
import type { RehearsalHost } from "../../../../rehearsal/host/in-process.ts";
import { goodArguments, joinInput, runStep, startWithSteps } from "../step-runner.ts";
import { listing } from "../machine-listing.ts";
import { differences } from "./differences.ts";
import { type Snapshot, snapshotsOfRows } from "./lab.ts";
import type { Row } from "./rows.ts";

/** Machines side by side: some of their time is waiting. */
const atOnce = 6;
/** No script makes more changes. */
const most = 500;

/** What an export that was cut short has left: a later one removes it after a day. */
const ofAnExport = "/kindows/logs-";

/** In how many places the power was cut, and what was wrong afterwards, by step. */
export type PowerCuts = ReadonlyMap<
  Row,
  { readonly places: number; readonly problems: readonly string[] }
>;

/** Cuts the power before each change that each step makes; the places are found by running the script. */
export async function cutThePower(end?: AbortSignal): Promise<PowerCuts> {
  const results = new Map<Row, { places: number; problems: string[] }>();
  for (const step of stepNames) {
    const snapshot = (await snapshotsOfRows()).get(step) as Snapshot;
    const problems: string[] = [];
    let next = 1;
    let tooMany = most;
    const worker = async (): Promise<void> => {
      for (let at = next++; at < tooMany && end?.aborted !== true; at = next++) {
        const found = await cut(step, at, snapshot);
        if (found === undefined) tooMany = Math.min(tooMany, at);
        else problems.push(...found.map((problem) => `before change ${at}: ${problem}`));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    results.set(step, { places: tooMany - 1, problems });
  }
  return results;
}

/** A step is cut off before its n-th change and run again; what is wrong then. Undefined: it makes fewer changes. */
async function cut(
  step: StepName,
  at: number,
  { before, after }: Snapshot,
): Promise<string[] | undefined> {
  const host = await startWithSteps({ drive: before, faults: [{ kind: "reboot", step, at }] });
  try {
    const first = await run(host, step);
    if (!first.isCut) return undefined;
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
): Promise<{ isCut: boolean; exitCode?: number }> {
  try {
    const { exitCode } = await runStep(host, step, goodArguments(host)[step], joinInput);
    return { isCut: false, exitCode };
  } catch (error) {
    if (!(error instanceof PowerLost)) throw error;
    return { isCut: true };
  } finally {
    await host.windows.tasksEnded();
    await host.up();
  }
}
