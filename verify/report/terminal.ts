import { styleText } from "node:util";

import { withoutControls } from "../../host/without-controls.ts";
import {
  byReason,
  counts,
  statusNames,
  statuses,
  type RowResult,
  type Status,
  type Verification,
} from "../result.ts";
import { rowTitle } from "../rows/row.ts";

/** Colour of each status on a terminal, and a word that distinguishes it without colour. */
const looks = {
  passed: { style: "green", symbol: "ok" },
  failed: { style: "red", symbol: "FAILED" },
  rehearsed: { style: "cyan", symbol: "rehearsed" },
  "not-runnable": { style: "gray", symbol: "-" },
} as const;

/** The table of rows, details of failures, and totals. @param colour whether to use colours. */
export function terminalText(verification: Verification, colour: boolean): string {
  const paint = (status: Status, text: string): string =>
    colour ? styleText(looks[status].style, text, { validateStream: false }) : text;
  const results = verification.results.map((result) => ({
    ...result,
    reason: withoutControls(result.reason),
    tried: result.tried.map(withoutControls),
    seen: withoutControls(result.seen),
  }));
  const failures = results.filter(({ status }) => status === "failed");
  const paragraphs = [
    tableText(results, paint),
    ...failures.map((result) => failureText(result, paint)),
    notRunnableText(results, paint),
    sumText(verification, paint),
  ];
  return paragraphs.filter((text) => text !== "").join("\n\n");
}

type Paint = (status: Status, text: string) => string;

function tableText(results: readonly RowResult[], paint: Paint): string {
  const shown = results.filter(({ status }) => status !== "not-runnable");
  const symbolWidth = Math.max(
    ...shown.map(({ status }) => looks[status].symbol.length),
    "".length,
  );
  const idWidth = Math.max(...shown.map(({ row }) => row.id.length), "ROW".length);
  const header = `${"".padEnd(symbolWidth)}  ${"ROW".padEnd(idWidth)}  TIME    WHAT`;
  const lines = shown.map(({ row, status, seconds, seen }) =>
    [
      paint(status, looks[status].symbol.padEnd(symbolWidth)),
      row.id.padEnd(idWidth),
      `${seconds.toFixed(1)} s`.padStart(6),
      status === "failed" || seen === "" ? rowTitle(row) : `${rowTitle(row)} (${seen})`,
    ].join("  "),
  );
  return shown.length === 0 ? "" : [header, ...lines].join("\n");
}

function failureText({ row, reason, tried, seen }: RowResult, paint: Paint): string {
  return [
    `${paint("failed", "FAILED")} ${row.id}: ${reason}`,
    ...tried.map((command) => `  tried  ${command}`),
    ...(seen === "" ? [] : [`  seen   ${seen}`]),
  ].join("\n");
}

/** Rows that were rehearsed or could not be run, grouped by reason. */
function notRunnableText(results: readonly RowResult[], paint: Paint): string {
  return (["rehearsed", "not-runnable"] as const)
    .flatMap((status) =>
      [...byReason(results.filter((each) => each.status === status))].map(([reason, group]) => {
        const ids = group.map(({ row }) => row.id);
        return `${paint(status, statusNames[status])}: ${reason}\n${wrapped(ids, 98).join("\n")}`;
      }),
    )
    .join("\n");
}

function wrapped(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const [index, word] of words.entries()) {
    const text = index < words.length - 1 ? `${word},` : word;
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + text.length <= width) {
      lines[lines.length - 1] = `${line} ${text}`;
    } else {
      lines.push(`  ${text}`);
    }
  }
  return lines;
}

function sumText({ results, seconds, rehearsal }: Verification, paint: Paint): string {
  const numbers = counts(results);
  const sums = statuses
    .filter((status) => numbers[status] > 0)
    .map((status) => paint(status, `${numbers[status]} ${statusNames[status]}`));
  return [
    `${sums.join(", ")} (${seconds.toFixed(0)} s)`,
    ...(rehearsal ? ["rehearsal: Windows is simulated, and nothing here was tested on it"] : []),
  ].join("\n");
}
