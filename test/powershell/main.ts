/**
 * `make test-powershell`: has the PowerShells of this machine judge the project's scripts, and what is known of PowerShell:
 * the interpreter must do the same, or refuse.
 *
 * Arguments: kinds of checks, default: all; `--minutes=N`: what has not begun by then is skipped.
 */
import { parseArgs } from "node:util";
import type { Kind, Verdict } from "./kind.ts";
import { fresh } from "./kinds/fresh.ts";
import { machine } from "./kinds/machine.ts";
import { parser } from "./kinds/parser.ts";
import { pester } from "./kinds/pester.ts";
import { snippets } from "./kinds/snippets.ts";
import { steps } from "./kinds/steps.ts";
import { rows } from "./kinds/tables.ts";
import { howToGet, OutOfTime, type Shell, withShells } from "./shells.ts";

/** In the order of the summary. */
const kinds: readonly Kind[] = [parser, pester, rows, fresh, steps, machine, snippets];

interface Judged extends Verdict {
  readonly kind: string;
  readonly by: string;
  readonly seconds: number;
}

const say = (line: string): void => console.log(line);

/** What came of a kind whose checks did not end. */
function unfinished(error: unknown): Verdict {
  // A busy machine is no reason to fail.
  if (error instanceof OutOfTime) {
    return { passed: 0, failures: [], skips: ["all: there was not enough time"] };
  }
  const text = error instanceof Error ? error.message : String(error);
  return { passed: 0, failures: [{ name: "all", text }], skips: [] };
}

async function judged(kind: string, by: string, judge: () => Promise<Verdict>): Promise<Judged> {
  const started = performance.now();
  const verdict = await judge().catch(unfinished);
  return { ...verdict, kind, by, seconds: Math.round((performance.now() - started) / 1000) };
}

function summary(all: readonly Judged[]): boolean {
  for (const { kind, by, failures } of all) {
    for (const { name, text } of failures) say(`FAILED ${kind}, ${by}: ${name}: ${text}`);
  }
  const skips = all.flatMap(({ kind, by, skips }) =>
    skips.map((each) => `${kind}, ${by}: ${each}`),
  );
  const sum = (count: (each: Judged) => number): number =>
    all.reduce((total, each) => total + count(each), 0);
  const failing = sum(({ failures }) => failures.length);
  say("\nWhat was checked, and how long it took beside the others:");
  for (const { kind, by, passed, failures, skips, seconds } of all) {
    const counts = `${passed} right, ${failures.length} wrong, ${skips.length} skipped`;
    say(`  ${kind}, ${by}: ${counts} (${seconds} s)`);
  }
  say(`\n  ${sum(({ passed }) => passed)} passing`);
  if (skips.length > 0) say(`  ${skips.length} pending`);
  if (failing > 0) say(`  ${failing} failing`);
  for (const each of skips) say(`skipped: ${each}`);
  return failing === 0;
}

async function main(args: readonly string[]): Promise<number> {
  const { positionals: names, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { minutes: { type: "string", default: "Infinity" } },
  });
  const unknown = names.filter((name) => !kinds.some((kind) => kind.name === name));
  if (unknown.length > 0) {
    const known = kinds.map(({ name }) => name).join(", ");
    say(`There is no kind of checks ${unknown.join(", ")}. There are: ${known}.`);
    return 2;
  }
  const chosen = kinds.filter(({ name }) => names.length === 0 || names.includes(name));
  let passed = false;
  await withShells(
    async (shells) => {
      // A check that did not run must not look like one that passed.
      if (shells.length === 0) {
        say(`The scripts are NOT JUDGED: there is no PowerShell on the PATH. ${howToGet}`);
        return;
      }
      passed = summary(await Promise.all(chosen.flatMap((kind) => judgements(kind, shells))));
    },
    say,
    Number(values.minutes),
  );
  return passed ? 0 : 1;
}

function judgements({ name, judge }: Kind, shells: readonly Shell[]): readonly Promise<Judged>[] {
  return shells.map((shell) => judged(name, shell.name, () => judge(shell)));
}

process.exitCode = await main(process.argv.slice(2));
