import { counts, isGood, type Verification } from "../result.ts";
import { rowTitle } from "../rows/row.ts";

/** The run as JSON; docs/verify.md describes the fields. */
export function jsonText(verification: Verification): string {
  const { started, seconds, results, ...rest } = verification;
  const document = {
    ...rest,
    started: started.toISOString(),
    seconds: rounded(seconds),
    good: isGood(results),
    counts: counts(results),
    rows: results.map(({ row, status, reason, tried, seen, seconds: own }) => ({
      id: row.id,
      title: rowTitle(row),
      ...(row.kind === "path" ? { from: row.from, target: row.target } : { sample: row.look }),
      status,
      reason,
      tried,
      seen,
      seconds: rounded(own),
    })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function rounded(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
