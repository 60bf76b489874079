import { stepNames } from "../../../../rehearsal/host/step-names.ts";
import { copies, tableFaults, transferFaults, type TableFault } from "./faults.ts";
import type { Results } from "./page.ts";
import { type CellResult, type Row, play } from "./play.ts";

/** Cells played side by side: most of their time is waiting. */
const atOnce = 6;

export const rows: readonly Row[] = [...copies, ...stepNames];
export const faults: readonly TableFault[] = [...tableFaults, ...transferFaults];

/** Whether a fault can strike in a row. */
export function applies(row: Row, { rows: some = stepNames }: TableFault): boolean {
  return some.includes(row);
}

/** Plays the whole table; begins no further cell once it is told to end. */
export async function playTable(end?: AbortSignal): Promise<Results> {
  const results = new Map(rows.map((row) => [row, new Map<string, CellResult>()]));
  const cells = rows.flatMap((row) =>
    faults.filter((fault) => applies(row, fault)).map((fault) => ({ row, fault })),
  );
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let cell = cells[next++]; cell && end?.aborted !== true; cell = cells[next++]) {
      results.get(cell.row)?.set(cell.fault.name, await play(cell.row, cell.fault));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
