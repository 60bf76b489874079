import type { Row } from "./rows/row.ts";

/**
 * Status of a row.
 *
 * - `passed`: it was done, and worked.
 * - `failed`: it was done, and did not work.
 * - `rehearsed`: Kubernetes' own Windows programs did a part of it, the rest is modelled. Not a pass.
 * - `not-runnable`: it could not be done here. Not a pass, and not a failure.
 */
export type Status = "passed" | "failed" | "rehearsed" | "not-runnable";

/** As people read them, in the order of the totals. */
export const statusNames = {
  passed: "passed",
  failed: "failed",
  rehearsed: "rehearsed",
  "not-runnable": "not runnable here",
} as const satisfies Readonly<Record<Status, string>>;

export const statuses = Object.keys(statusNames) as readonly Status[];

/** How a row came out. */
export interface Outcome {
  readonly status: Status;
  /** Why it failed or could not be run, or what was rehearsed; empty if it passed. */
  readonly reason: string;
  readonly tried: readonly string[];
  /** Output of the failed command, and how the tries of a lookup went if one was not enough; empty otherwise. */
  readonly seen: string;
}

export interface RowResult extends Outcome {
  readonly row: Row;
  readonly seconds: number;
}

/** A whole run. */
export interface Verification {
  readonly stack: string;
  readonly lab: string;
  readonly rehearsal: boolean;
  readonly nodes: readonly {
    readonly name: string;
    readonly os: string;
    readonly version: string;
    readonly system: string;
  }[];
  readonly started: Date;
  readonly seconds: number;
  readonly results: readonly RowResult[];
}

export function counts(results: readonly RowResult[]): Readonly<Record<Status, number>> {
  const count = (status: Status): number =>
    results.filter((result) => result.status === status).length;
  return Object.fromEntries(statuses.map((status) => [status, count(status)])) as Record<
    Status,
    number
  >;
}

/** Whether the run shows a working network: nothing failed, and something passed. */
export function isGood(results: readonly RowResult[]): boolean {
  const { passed, failed } = counts(results);
  return failed === 0 && passed > 0;
}

/** Results by the reason they have in common, in the order in which reasons come first. */
export function byReason(results: readonly RowResult[]): ReadonlyMap<string, readonly RowResult[]> {
  const groups = new Map<string, RowResult[]>();
  for (const result of results) {
    groups.set(result.reason, [...(groups.get(result.reason) ?? []), result]);
  }
  return groups;
}
