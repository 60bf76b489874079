import { PowerLost } from "../../../../../rehearsal/machine/windows-machine.ts";
import type { RehearsedMachine } from "../../../../rehearsed-machine/in-process.ts";
import { listing } from "../machine-listing.ts";
import {
  goodArguments,
  joinInput,
  plantFaults,
  runStep,
  type StepName,
  stepNames,
  withSteps,
} from "../step-runner.ts";
import { applies, faults, type TableFault } from "./faults.ts";
import { differences, type Snapshot, snapshotsOfRows, withLab } from "./lab.ts";
import { isCopy, resourceOf, type Row, rows, unpacking } from "./rows.ts";

/** Whether faults occur at all points or, in a fraction of the time, at some of them. */
export type Extent = "sample" | "whole";

/**
 * Distance of the points in a sample. It includes Install-Flannel's 32nd change, which leaves half of what it
 * compiles, and which no other test cleans up.
 */
export const every = 16;

/** The points to play: in a sample the first, the last, and some between them. */
function playedPlaces(count: number, extent: Extent): number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  return extent === "whole"
    ? all
    : all.filter((place) => [1, count].includes(place) || place % every === 0);
}

/** Runs work for each item, with limited concurrency; starts no further item once it should end. */
async function sideBySide<T>(
  items: readonly T[],
  atOnce: number,
  end: AbortSignal | undefined,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      if (end?.aborted === true) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Machines in parallel, which wait most of the time. */
const atOnce = 6;

export interface Results {
  /** By row and fault; undefined if the fault cannot occur in the row. */
  readonly cells: ReadonlyMap<Row, ReadonlyMap<string, CellResult>>;
  readonly powerCuts: PowerCuts;
}

/** Plays the table; starts no further cell once it should end. */
export async function playTable(extent: Extent, end?: AbortSignal): Promise<Results> {
  const cells = new Map(rows.map((row) => [row, new Map<string, CellResult>()]));
  const all = rows.flatMap((row) =>
    faults.filter((fault) => applies(row, fault)).map((fault) => ({ row, fault })),
  );
  await sideBySide(all, atOnce, end, async ({ row, fault }) => {
    cells.get(row)?.set(fault.name, await play(row, fault));
  });
  return { cells, powerCuts: await cutThePower(extent, end) };
}

/** How a fault in a row ended. */
export interface CellResult {
  /** Error of the first `up`; undefined if it succeeded despite the fault. */
  readonly error: string | undefined;
  /** Kind of the step's own error; undefined if the connection was lost. */
  readonly code: string | undefined;
  /** What is wrong after the last `up`; empty if nothing is. */
  readonly problems: readonly string[];
}

/** Plays one cell: a row with the fault, then without. */
async function play(row: Row, fault: TableFault): Promise<CellResult> {
  const snapshot = (await snapshotsOfRows()).get(row);
  return withLab(snapshot?.before, async (lab) => {
    const settings = fault.settings?.(row, lab.bytes(row)) ?? [];
    await plantFaults(lab.machine, ...settings);
    fault.breakCluster?.(lab.machine.cluster);
    await fault.breakMachine?.(lab.machine);
    const first = await lab.run(row);
    fault.mendCluster?.(lab.machine.cluster);
    let second = first === undefined ? undefined : await lab.run(row);
    if (mayYetEnd(second)) second = await lab.run(row);
    await fault.afterwards?.(lab.machine);
    await lab.settled();
    return {
      error: first,
      code: codeOf(first),
      problems: [
        ...(second === undefined ? [] : [`the second up failed: ${second}`]),
        ...(await lab.problems(row)),
      ],
    };
  });
}

/** Parts that an error message lacks but a user needs. */
export function lacks(error: string, row: Row): string[] {
  const code = codeOf(error);
  // A step's own error has its own remedy; a connection error always has one.
  const remedy = code === undefined ? /run again/ : /"remedy":"[A-Z][^"]{20,}/;
  // The error of a copy names its resource, because it has no step.
  const name = isCopy(row) || row === unpacking ? resourceOf(row) : row;
  return [
    ...(error.includes(name) ? [] : ["the name of the step"]),
    ...(/win-1/i.test(error) ? [] : ["the name of the machine"]),
    ...(remedy.test(error) ? [] : ["a remedy"]),
  ];
}

/** A step continues after a lost connection: it may reboot the machine during the next `up`, or make it wait. */
function mayYetEnd(error: string | undefined): boolean {
  return error !== undefined && [undefined, "StepBusy"].includes(codeOf(error));
}

/** Kind of a step's own error. */
export function codeOf(error: string | undefined): string | undefined {
  return /failed \((\w+)\): /.exec(error ?? "")?.[1];
}

/** No script makes more changes. */
const most = 500;

/** Files of an interrupted export, which a later one removes after a day. */
const ofAnExport = "/kindows/logs-";

/** By step, the number of points at which the power can be cut, and what was wrong after the played ones. */
type PowerCuts = ReadonlyMap<
  Row,
  { readonly places: number; readonly problems: readonly string[] }
>;

/** Cuts the power before each step's changes, which are counted by running the script. */
async function cutThePower(extent: Extent, end?: AbortSignal): Promise<PowerCuts> {
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

/** Number of changes a step makes. It continues when the connection breaks, here before each change. */
async function changesOf(step: StepName, { before }: Snapshot): Promise<number> {
  const faults = Array.from({ length: most }, (_, index) => {
    return { kind: "dropConnection", step, at: index + 1 } as const;
  });
  let changes = 0;
  await withSteps({ drive: before, faults }, (machine) => run(machine, step, () => (changes += 1)));
  return changes;
}

/** Cuts a step off before its n-th change and runs it again. @returns what is wrong then */
async function cut(step: StepName, at: number, { before, after }: Snapshot): Promise<string[]> {
  const faults = [{ kind: "reboot", step, at }] as const;
  return withSteps({ drive: before, faults }, async (machine) => {
    const first = await run(machine, step);
    if (!first.isCut) return ["it makes no such change"];
    const again = await run(machine, step);
    return again.exitCode === 0
      ? differences(after, await listing(machine)).filter((each) => !each.startsWith(ofAnExport))
      : [`the next run ended with ${again.exitCode}`];
  });
}

/** Runs a step until the machine loses power, then waits until it is up again. */
async function run(
  machine: RehearsedMachine,
  step: StepName,
  onDrop?: () => void,
): Promise<{ isCut: boolean; exitCode?: number }> {
  try {
    const { exitCode } = await runStep(
      machine,
      step,
      goodArguments(machine)[step],
      joinInput,
      onDrop,
    );
    return { isCut: false, exitCode };
  } catch (error) {
    if (!(error instanceof PowerLost)) throw error;
    return { isCut: true };
  } finally {
    await machine.windows.tasksEnded();
    await machine.up();
  }
}
