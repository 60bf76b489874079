import { unpacker } from "../../../../rehearsal/host/faults.ts";
import { type StepName, stepNames } from "../step-runner.ts";

export const hostName = "win-1";

/** What is copied to a machine rather than run on it. */
export const copies = ["copy of the scripts", "push of the media"] as const;

/** What Windows' own tar.exe makes of the scripts that were copied. */
export const unpacking = "unpacking of the scripts";

export type Copy = (typeof copies)[number];

/** A column of the page: what is done to make a machine a node, or is run on one. */
export type Row = StepName | Copy | typeof unpacking;

/** In an order in which each finds what it needs. */
export const rows: readonly Row[] = [copies[0], unpacking, copies[1], ...stepNames];

/** Whether it is a copy, which the machine takes file by file. */
export function isCopy(row: Row): row is Copy {
  return copies.some((copy) => copy === row);
}

/** What the rehearsal host calls the place, of a row that is run there. */
export function placeOf(row: Exclude<Row, Copy>): StepName | typeof unpacker {
  return row === unpacking ? unpacker : row;
}

/** Names of the resources of what is no script. */
const resources: Readonly<Partial<Record<Row, string>>> = {
  [copies[0]]: "home",
  [unpacking]: "steps",
  [copies[1]]: "push",
};

/** Name of the resource, which the engine puts before each error. */
export function resourceOf(row: Row): string {
  return `${hostName}-${resources[row] ?? row.toLowerCase()}`;
}
