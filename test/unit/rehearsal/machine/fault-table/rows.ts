import { unpacker } from "../../../../../rehearsal/machine/faults.ts";
import { type StepName, stepNames } from "../step-runner.ts";

export const hostName = "win-1";

/** Rows that copy files to a machine instead of running a command. */
export const copies = ["copy of the scripts", "push of the media"] as const;

/** The row in which Windows' tar.exe unpacks the copied scripts. */
export const unpacking = "unpacking of the scripts";

export type Copy = (typeof copies)[number];

/** One action that makes a machine a node, or runs on a node. */
export type Row = StepName | Copy | typeof unpacking;

/** The rows, in an order in which each has what it needs. */
export const rows: readonly Row[] = [copies[0], unpacking, copies[1], ...stepNames];

/** Whether a row is a copy, which the machine receives file by file. */
export function isCopy(row: Row): row is Copy {
  return copies.some((copy) => copy === row);
}

/** The rehearsed machine's name for a row that is not a copy. */
export function placeOf(row: Exclude<Row, Copy>): StepName | typeof unpacker {
  return row === unpacking ? unpacker : row;
}

/** Resource names of rows that are not scripts. */
const resources: Readonly<Partial<Record<Row, string>>> = {
  [copies[0]]: "home",
  [unpacking]: "steps",
  [copies[1]]: "push",
};

/** Name of a row's resource, which the engine puts before each error. */
export function resourceOf(row: Row): string {
  return `${hostName}-${resources[row] ?? row.toLowerCase()}`;
}
