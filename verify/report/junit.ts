import { counts, type RowResult, type Verification } from "../result.ts";
import { rowTitle } from "../rows/row.ts";
import { xmlText } from "../../host/xml-text.ts";

/**
 * The run as a JUnit file for CI systems, with a test case for each row. Rows that were rehearsed or could not be run
 * are skipped, with the reason, because they must not count as passed.
 */
export function junitText(verification: Verification): string {
  const { results, seconds, started, stack } = verification;
  const { failed, rehearsed, "not-runnable": notRunnable } = counts(results);
  const attributes = [
    `name="kindows verify"`,
    `tests="${results.length}"`,
    `failures="${failed}"`,
    `errors="0"`,
    `skipped="${rehearsed + notRunnable}"`,
    `time="${seconds.toFixed(1)}"`,
    `timestamp="${started.toISOString().replace(/\.\d+Z$/, "")}"`,
  ].join(" ");
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites>`,
    `  <testsuite ${attributes}>`,
    ...results.flatMap((result) => testCase(result, stack)),
    `  </testsuite>`,
    `</testsuites>`,
    ``,
  ].join("\n");
}

function testCase(result: RowResult, stack: string): readonly string[] {
  const { row, status, reason, seen, seconds } = result;
  const name = xmlText(`${row.id}: ${rowTitle(row)}`);
  const start = `    <testcase classname="${xmlText(`verify.${stack}`)}" name="${name}" time="${seconds.toFixed(1)}"`;
  const inside = {
    passed: seen && `<system-out>${xmlText(seen)}</system-out>`,
    failed: `<failure message="${xmlText(reason)}">${xmlText(failureBody(result))}</failure>`,
    rehearsed: `<skipped message="${xmlText(`rehearsed: ${reason}`)}"/>`,
    "not-runnable": `<skipped message="${xmlText(reason)}"/>`,
  }[status];
  return inside === "" ? [`${start}/>`] : [`${start}>`, `      ${inside}`, `    </testcase>`];
}

function failureBody({ reason, tried, seen }: RowResult): string {
  return [
    reason,
    ...tried.map((command) => `tried: ${command}`),
    ...(seen === "" ? [] : [`seen: ${seen}`]),
  ].join("\n");
}
