import { type AnyByteResults, cutAtAnyByte } from "./any-byte.ts";
import { applies, faults } from "./faults.ts";
import { type CellResult, play } from "./play.ts";
import { cutThePower, type PowerCuts } from "./power-cuts.ts";
import { type Row, rows } from "./rows.ts";

/** Cells played side by side: most of their time is waiting. */
const atOnce = 6;

/** How everything ended. */
export interface Results {
  /** By row and name of the fault; nothing where the fault can't strike in the row. */
  readonly cells: ReadonlyMap<Row, ReadonlyMap<string, CellResult>>;
  readonly anyByte: AnyByteResults;
  readonly powerCuts: PowerCuts;
}

/** Plays the whole table; begins no further cell once it is told to end. */
export async function playTable(end?: AbortSignal): Promise<Results> {
  const cells = new Map(rows.map((row) => [row, new Map<string, CellResult>()]));
  const waiting = rows.flatMap((row) =>
    faults.filter((fault) => applies(row, fault)).map((fault) => ({ row, fault })),
  );
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let cell = waiting[next++]; cell && end?.aborted !== true; cell = waiting[next++]) {
      cells.get(cell.row)?.set(cell.fault.name, await play(cell.row, cell.fault));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { cells, anyByte: await cutAtAnyByte(end), powerCuts: await cutThePower(end) };
}
