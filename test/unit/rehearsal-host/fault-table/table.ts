import type { Extent } from "./extent.ts";
import { applies, faults } from "./faults.ts";
import { type CellResult, play } from "./play.ts";
import { cutThePower, type PowerCuts } from "./power-cuts.ts";
import { type Row, rows } from "./rows.ts";
import { sideBySide } from "./extent.ts";

/** Cells played side by side: most of their time is waiting. */
const atOnce = 6;

/** How everything ended. */
export interface Results {
  /** By row and name of the fault; nothing where the fault can't strike in the row. */
  readonly cells: ReadonlyMap<Row, ReadonlyMap<string, CellResult>>;
  readonly powerCuts: PowerCuts;
}

/** Plays the table; begins no further cell once it is asked to end. */
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
