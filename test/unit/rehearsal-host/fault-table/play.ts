import { faultsPath } from "../../../../rehearsal/host/faults.ts";
import type { TableFault } from "./faults.ts";
import { snapshotsOfRows, withLab } from "./lab.ts";
import { isCopy, resourceOf, type Row, unpacking } from "./rows.ts";

/** How a fault in a row ended. */
export interface CellResult {
  /** What the first `up` said; undefined where it went through all the same. */
  readonly error: string | undefined;
  /** Kind of the step's own error; undefined where the connection was lost. */
  readonly code: string | undefined;
  /** What is wrong after the last `up`; empty when nothing is. */
  readonly problems: readonly string[];
}

/** Plays one cell: a row with the fault, then without. */
export async function play(row: Row, fault: TableFault): Promise<CellResult> {
  const snapshot = (await snapshotsOfRows()).get(row);
  return withLab(snapshot?.before, async (lab) => {
    const settings = fault.settings?.(row, await lab.bytes(row)) ?? [];
    await lab.host.windows.drive.write(faultsPath, JSON.stringify(settings));
    fault.breakCluster?.(lab.cluster);
    await fault.breakMachine?.(lab.host);
    const first = await lab.run(row);
    fault.mendCluster?.(lab.cluster);
    let second = first === undefined ? undefined : await lab.run(row);
    if (mayYetEnd(second)) second = await lab.run(row);
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

/** What an error lacks that a person needs, who has nothing else. */
export function lacks(error: string, row: Row): string[] {
  const code = codeOf(error);
  // A step's own error has a remedy of its own; one of the connection says what to do in any case.
  const remedy = code === undefined ? /run again/ : /"remedy":"[A-Z][^"]{20,}/;
  // What is no step is named by its resource only.
  const name = isCopy(row) || row === unpacking ? resourceOf(row) : row;
  return [
    ...(error.includes(name) ? [] : ["the name of the step"]),
    ...(/win-1/i.test(error) ? [] : ["the name of the machine"]),
    ...(remedy.test(error) ? [] : ["a remedy"]),
  ];
}

/** A step that lost its connection goes on: it may reboot the machine under the next `up`, or keep it waiting. */
function mayYetEnd(error: string | undefined): boolean {
  return error !== undefined && [undefined, "StepBusy"].includes(codeOf(error));
}

/** Kind of a step's own error. */
export function codeOf(error: string | undefined): string | undefined {
  return /failed \((\w+)\): /.exec(error ?? "")?.[1];
}
