/** Tables of one-line scripts, and what each gives on a real PowerShell. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onWindowsPowerShell } from "./windows-powershell.ts";

export interface Row {
  readonly topic: string;
  readonly script: string;
  /** What `frame` writes for it on PowerShell 7. */
  readonly recorded: string;
  /** What Windows PowerShell 5.1 writes: the same, unless windows-powershell.ts has the difference. */
  readonly expected: string;
}

/**
 * The script around a row, which stands between the braces: strict mode, errors stop, each value on a line as
 * "<type> <text>", an error that ends it as "error <type of the exception>". A row that breaks leaves the loop.
 */
export const frame = `
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
foreach ($__once in 1) {
    try {
        & {} | ForEach-Object { if ($null -eq $_) { 'null' } else { $_.GetType().Name + ' ' + "$_" } }
    }
    catch { 'error ' + $_.Exception.GetType().Name }
}`;

/** A script in its frame. */
export const framed = (script: string): string => frame.replace("{}", () => `{ ${script} }`);

const file = join(import.meta.dirname, "recordings", "tables.jsonl");

/** All rows by topic. */
export function tables(): ReadonlyMap<string, readonly Row[]> {
  const topics = new Map<string, Row[]>();
  for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
    const [topic, recorded, scripts] = JSON.parse(line) as [string, string, string[]];
    const rows = scripts.map((script) => {
      return { topic, script, recorded, expected: onWindowsPowerShell(recorded, script) };
    });
    topics.set(topic, [...(topics.get(topic) ?? []), ...rows]);
  }
  return topics;
}

/** Writes the file anew: a line for each output of each topic. */
export function writeTables(rows: readonly Pick<Row, "topic" | "script" | "recorded">[]): void {
  const lines = new Map<string, [topic: string, recorded: string, scripts: string[]]>();
  for (const { topic, script, recorded } of rows) {
    const key = JSON.stringify([topic, recorded]);
    const line = lines.get(key) ?? [topic, recorded, []];
    line[2].push(script);
    lines.set(key, line);
  }
  const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
  const sorted = [...lines.values()].sort(
    ([topic, recorded], [otherTopic, other]) => order(topic, otherTopic) || order(recorded, other),
  );
  writeFileSync(file, sorted.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
