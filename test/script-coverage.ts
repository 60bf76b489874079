/**
 * Statement coverage of the scripts for nodes and Hyper-V hosts, their libraries and kube-proxy's start script, when
 * tests run them on the interpreter. Less than `script-coverage.json` says is an error; if it is more, write that
 * down there.
 */
import { subscribe } from "node:diagnostics_channel";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { parse } from "../powershell/parser.ts";
import { visit } from "../powershell/subset.ts";
import type { Statement } from "../powershell/syntax.ts";
import reached from "./script-coverage.json" with { type: "json" };

const folders = ["components/windows/steps", "components/machine/hyper-v/scripts"].flatMap(
  (folder) => [folder, `${folder}/lib`],
);
const scripts = [
  ...folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".ps1"))
      .map((name) => path.join(folder, name)),
  ),
  "components/kubeproxy/start.ps1",
];

/** Names the folder where each process of the tests writes what it has run, by the scripts' texts. */
const variable = "KINDOWS_SCRIPT_COVERAGE";
type Run = readonly (readonly [text: string, starts: readonly number[]])[];

/** Offsets of the statements that were run, by the script's text. */
const startsRun = new Map<string, Set<number>>();
if (process.env[variable] !== undefined) {
  subscribe("powershell.statements", (statement) => {
    const { text, start } = statement as { text: string; start: number };
    const starts = startsRun.get(text) ?? new Set();
    startsRun.set(text, starts.add(start));
  });
}

/** Writes what this process has run so far, for `withCoverage`. */
export function keepCoverage(): void {
  const folder = process.env[variable];
  if (folder !== undefined) {
    const run = [...startsRun].map(([text, starts]) => [text, [...starts]]);
    writeFileSync(path.join(folder, `${process.pid}.json`), JSON.stringify(run));
  }
}

/** Runs tests and prints the coverage of each script. @returns whether they passed and covered as much as before. */
export async function withCoverage(tests: () => Promise<boolean>): Promise<boolean> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kindows-coverage-"));
  process.env[variable] = folder;
  try {
    const passed = await tests();
    return report(folder) && passed;
  } finally {
    Reflect.deleteProperty(process.env, variable);
    rmSync(folder, { recursive: true });
  }
}

function report(folder: string): boolean {
  const run = new Map<string, Set<number>>();
  for (const name of readdirSync(folder)) {
    for (const [text, starts] of JSON.parse(readFileSync(path.join(folder, name), "utf8")) as Run) {
      run.set(text, new Set([...(run.get(text) ?? []), ...starts]));
    }
  }
  const rows = scripts.map((file) => {
    const text = readFileSync(file, "utf8").replace(/^\ufeff/, "");
    const all = statements(file, text);
    const count = all.filter((start) => run.get(text)?.has(start)).length;
    return { file, count, all: all.length, percent: (100 * count) / all.length };
  });
  const sum = (of: "count" | "all"): number => rows.reduce((total, row) => total + row[of], 0);
  const overall = (100 * sum("count")) / sum("all");
  const least = Math.min(...rows.map(({ percent }) => percent));
  console.log(
    `\nStatements of the scripts that were run: ${overall.toFixed(1)} % of ${sum("all")}`,
  );
  for (const { file, count, all, percent } of rows.sort((a, b) => a.percent - b.percent)) {
    if (count < all) console.log(`${percent.toFixed(1).padStart(6)} % of ${all}  ${file}`);
  }
  const problems = Object.entries({ overall, least }).flatMap(([name, percent]) => {
    const before = reached[name as keyof typeof reached];
    if (percent > before + 1)
      console.log(`${name}: write ${percent.toFixed(1)} into test/script-coverage.json`);
    return percent < before - 0.05 ? [`${name}: ${percent.toFixed(1)} %, was ${before} %`] : [];
  });
  problems.forEach((problem) => console.log(`FAILED test/script-coverage.json: ${problem}`));
  return problems.length === 0;
}

/** Offsets of the statements; function definitions do not count. */
function statements(file: string, text: string): number[] {
  const starts = new Set<number>();
  const add = (list: readonly Statement[] | undefined): void => {
    for (const { kind, position } of list ?? []) {
      if (kind !== "FunctionDefinition") starts.add(position.start);
    }
  };
  visit(parse({ path: file, text }), (node) => {
    if ("statements" in node) add(node.statements);
    if ("body" in node && Array.isArray(node.body)) add(node.body as Statement[]);
    if (node.kind === "If") {
      node.clauses.forEach(({ body }) => add(body));
      add(node.otherwise);
    }
    if (node.kind === "Try") {
      node.catches.forEach(({ body }) => add(body));
      add(node.final);
    }
  });
  return [...starts];
}
