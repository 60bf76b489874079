import type { Row } from "./rows/row.ts";

/**
 * Status of a row.
 *
 * - `passed`: the row was run and worked.
 * - `failed`: the row was run and did not work.
 * - `rehearsed`: Kubernetes' own Windows programs did a part of it, and the rest was simulated. Not a pass.
 * - `not-runnable`: the row could not be run here. Neither a pass nor a failure.
 */
export type Status = "passed" | "failed" | "rehearsed" | "not-runnable";

/** Display names, in the order of the totals. */
export const statusNames = {
  passed: "passed",
  failed: "failed",
  rehearsed: "rehearsed",
  "not-runnable": "not runnable here",
} as const satisfies Readonly<Record<Status, string>>;

export const statuses = Object.keys(statusNames) as readonly Status[];

export interface Outcome {
  readonly status: Status;
  /** Why it failed or could not be run, or what was rehearsed; empty if it passed. */
  readonly reason: string;
  readonly tried: readonly string[];
  /** Output of the failed command, and the course of a lookup that took more than one try; otherwise empty. */
  readonly seen: string;
}

export interface RowResult extends Outcome {
  readonly row: Row;
  readonly seconds: number;
}

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

/** Why the run does not show a working network; undefined if nothing failed, and something passed. */
export function shortcoming(results: readonly RowResult[]): string | undefined {
  const { passed, failed } = counts(results);
  if (failed > 0) return "not every path of the network works (see above)";
  return passed > 0 ? undefined : "no path of the network was tested for real (see above)";
}

export function isGood(results: readonly RowResult[]): boolean {
  return shortcoming(results) === undefined;
}

/** Results grouped by reason, in the order in which the reasons first appear. */
export function byReason(results: readonly RowResult[]): ReadonlyMap<string, readonly RowResult[]> {
  const groups = new Map<string, RowResult[]>();
  for (const result of results) {
    groups.set(result.reason, [...(groups.get(result.reason) ?? []), result]);
  }
  return groups;
}
