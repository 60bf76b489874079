/**
 * Statement coverage of the scripts that ship, when tests run them on the interpreter or on a real PowerShell. Less than
 * `script-coverage.json` says is an error; if it is more, write that down there.
 */
import { subscribe } from "node:diagnostics_channel";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { parse } from "../rehearsal/powershell/parser.ts";
import { visit } from "../rehearsal/powershell/subset.ts";
import type { Statement } from "../rehearsal/powershell/syntax.ts";
import reached from "./script-coverage.json" with { type: "json" };

const scriptsIn = (...folders: readonly string[]): readonly string[] =>
  folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ps1"))
      .map((name) => path.join(folder, name)),
  );
const scripts = [
  ...scriptsIn("components/windows/steps", "components/machine/hyper-v/scripts"),
  "components/kubeproxy/start.ps1",
];

/** What runs the scripts, and which of them count. */
const runners = {
  interpreter: scripts,
  "real PowerShell": [...scripts, ...scriptsIn("images/windows/scripts")],
};
type Runner = keyof typeof runners;

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

interface Coverage {
  /** What covered less than before. */
  readonly problems: readonly string[];
  /** By script, the share of statements that were run, in percent. */
  readonly scripts: ReadonlyMap<string, number>;
}

/** Runs tests and prints the coverage of each script. */
export async function withCoverage<Result>(
  runner: Runner,
  tests: () => Promise<Result>,
): Promise<Coverage & { readonly result: Result }> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kindows-coverage-"));
  process.env[variable] = folder;
  try {
    const result = await tests();
    return { result, ...report(folder, runner) };
  } finally {
    Reflect.deleteProperty(process.env, variable);
    rmSync(folder, { recursive: true });
  }
}

function report(folder: string, runner: Runner): Coverage {
  const files = runners[runner].map((file) => {
    const text = readFileSync(file, "utf8").replace(/^\ufeff/, "");
    return { file, text, parts: partsOf(file, text) };
  });
  const known = new Set(files.flatMap(({ parts }) => parts.map(({ text }) => text)));
  const run = new Map<string, Set<number>>();
  const note = (text: string, starts: Iterable<number>): void =>
    void run.set(text, new Set([...(run.get(text) ?? []), ...starts]));
  for (const name of readdirSync(folder)) {
    for (const [text, starts] of JSON.parse(readFileSync(path.join(folder, name), "utf8")) as Run) {
      const script = files.find((each) => each.text === text);
      if (script) note(script.file, starts);
      else {
        for (const part of known) {
          const at = text.indexOf(part);
          if (at >= 0)
            note(part, relative({ text: part, start: at, end: at + part.length }, starts));
        }
      }
    }
  }
  const rows = files.map(({ file, text, parts }) => {
    const whole = run.get(file);
    const all = statements(file, text).map((start) => {
      const part = parts.find((each) => each.start <= start && start < each.end);
      const isRun =
        whole?.has(start) === true ||
        (part !== undefined && run.get(part.text)?.has(start - part.start) === true);
      return { start, isRun };
    });
    const left = all.filter(({ isRun }) => !isRun).map(({ start }) => start);
    const lines = new Set(left.map((start) => text.slice(0, start).split("\n").length));
    const count = all.length - left.length;
    return { file, count, all: all.length, percent: (100 * count) / all.length, lines };
  });
  const sum = (of: "count" | "all"): number => rows.reduce((total, row) => total + row[of], 0);
  const overall = (100 * sum("count")) / sum("all");
  const least = Math.min(...rows.map(({ percent }) => percent));
  console.log(
    `\nStatements of the scripts that the ${runner} has run: ${overall.toFixed(1)} % of ${sum("all")}`,
  );
  for (const { file, count, all, percent, lines } of rows.sort((a, b) => a.percent - b.percent)) {
    if (count < all) {
      const missing = [...lines].sort((a, b) => a - b).join(", ");
      console.log(`${percent.toFixed(1).padStart(6)} % of ${all}  ${file} (not: ${missing})`);
    }
  }
  const problems = Object.entries({ overall, least }).flatMap(([name, percent]) => {
    const before = reached[runner][name as "overall" | "least"];
    if (percent > before + 1)
      console.log(`${runner}, ${name}: write ${percent.toFixed(1)} into test/script-coverage.json`);
    return percent < before - 0.05
      ? [`test/script-coverage.json, ${name}: ${percent.toFixed(1)} %, was ${before} %`]
      : [];
  });
  return { problems, scripts: new Map(rows.map(({ file, percent }) => [file, percent])) };
}

interface Part {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A script's functions and constants, and the call that runs a step: some tests run them in scripts of their own. */
function partsOf(file: string, text: string): Part[] {
  return parse({ path: file, text }).statements.flatMap(({ kind, position: { start, end } }) => {
    const part = { text: text.slice(start, end), start, end };
    const isPart = /^(Invoke-Step |\$\w+ = ('.*'|\d+)$)/.test(part.text);
    return kind === "FunctionDefinition" || isPart ? [part] : [];
  });
}

const relative = ({ start, end }: Part, starts: readonly number[]): number[] =>
  starts.filter((each) => each >= start && each < end).map((each) => each - start);

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
