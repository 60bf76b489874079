/**
 * `make e2e-full`: every test that needs a hypervisor, in parts. Results are kept in .kindows/e2e-full, and parts
 * that have passed are not run again until the sources change.
 *
 * Arguments: names of parts, for less than all; `--fresh` starts over; `--list` lists the parts, with `--json` for a
 * workflow; `--table` only prints the results.
 */
import { existsSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { execa } from "execa";
import * as z from "zod";

import { asHolderOf } from "../../cli/engine/run-lock.ts";
import { table } from "../../cli/table.ts";
import { messageOf } from "../../host/failure.ts";
import { writeWhole } from "../../host/write-whole.ts";
import { readJson } from "../../toolchain/parse-json.ts";
import { formatSeconds } from "../../toolchain/progress-text.ts";
import { localFolder, projectRoot } from "../../toolchain/project.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import { calicoKillPoints, killPoints } from "../e2e/kill-points.ts";
import { runAsGroup } from "../e2e/process-group.ts";

/** Limit of one test, against hangs: four emulated machines take long. */
const testMinutes = 60;

const leftLabs = "./test/e2e-full/left-labs.ts";

const folder = path.join(localFolder, "e2e-full");

interface Part {
  readonly name: string;
  /** Arguments of mocha: a file, and a filter for its tests. */
  readonly args: readonly string[];
}

/** For files that take hours: the beginnings of their tests' titles, each of which is a part. */
const rows: Readonly<Record<string, readonly string[]>> = {
  "killed-runs": [...killPoints, ...calicoKillPoints].map(({ state }) => state),
};

/** One part for each file of test/e2e and test/e2e-full, or for each of its rows. */
const parts = ["test/e2e", "test/e2e-full"].flatMap((folder) =>
  readdirSync(path.join(projectRoot, folder))
    .filter((file) => file.endsWith(".test.ts"))
    .sort()
    .flatMap((file) => partsOf(path.join(folder, file))),
);

function partsOf(file: string): readonly Part[] {
  const name = path.basename(file, ".test.ts");
  return (
    rows[name]?.map((row) => ({
      name: `${name}.${row.toLowerCase().replaceAll(" ", "-")}`,
      args: [file, "--fgrep", `${row}: `],
    })) ?? [{ name, args: [file] }]
  );
}

/** Parts by name, all without names; a file's name means all of its rows. @throws for an unknown name. */
function chosenParts(names: readonly string[]): readonly Part[] {
  const fits = (part: Part, name: string): boolean =>
    part.name === name || part.name.startsWith(`${name}.`);
  const unknown = names.filter((name) => !parts.some((part) => fits(part, name)));
  if (unknown.length > 0) {
    const known = parts.map(({ name }) => name).join(", ");
    throw new Error(`there is no part ${unknown.join(", ")}; parts: ${known}`);
  }
  return parts.filter((part) => names.length === 0 || names.some((name) => fits(part, name)));
}

const resultSchema = z.object({
  result: z.enum(["passed", "failed", "interrupted"]),
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  seconds: z.number(),
  ended: z.string(),
  /** For readers only: the commit, and whether files differed from it. */
  commit: z.string(),
  /** Hash of the sources; the result is valid only for them. */
  sources: z.string(),
});

const resultFile = ({ name }: Part): string => path.join(folder, `${name}.json`);

/** Result of a part with these sources; undefined if there is only one with other sources, or none. */
async function resultOf(part: Part, sources: string) {
  const noted = await readJson(resultFile(part), resultSchema);
  return noted?.sources === sources ? noted : undefined;
}

/** Prints all parts in a table. @returns whether each has passed. */
async function summarize(parts: readonly Part[], sources: string): Promise<boolean> {
  const results = await Promise.all(parts.map((part) => resultOf(part, sources)));
  const lines = results.map((each, index) => {
    const name = parts[index]?.name ?? "";
    if (each === undefined) return [name, "not run"];
    const { result, passed, failed, skipped, seconds, commit } = each;
    const time = formatSeconds(seconds);
    return [name, result, `${passed}`, `${failed}`, `${skipped}`, time, commit];
  });
  const head = ["part", "result", "passed", "failed", "skipped", "time", "commit"];
  console.log(`\n${table(head, lines)}`);
  return results.every((each) => each?.result === "passed");
}

/** Runs parts that have not passed with these sources, each in a mocha of its own, which a signal ends as a group. */
async function runParts(parts: readonly Part[], sources: string): Promise<void> {
  const stopped = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => stopped.abort());
  }
  const { signal } = stopped;
  const commit = await git("describe", "--always", "--dirty", "--exclude", "*");
  const onText = (text: string): void => void process.stdout.write(text);
  for (const part of parts) {
    if ((await resultOf(part, sources))?.result === "passed") continue;
    if (signal.aborted) return;
    console.log(`=== ${part.name}`);
    const { exitCode, output, seconds } = await runAsGroup(
      "node_modules/.bin/mocha",
      ["--require", leftLabs, "--timeout", `${testMinutes * 60_000}`, ...part.args],
      { logFile: path.join(folder, `${part.name}.log`), onText, signal },
    );
    const counted = sums(output);
    const bad = signal.aborted ? "interrupted" : "failed";
    const result: z.infer<typeof resultSchema> = {
      result: exitCode === 0 && counted.passed > 0 ? "passed" : bad,
      ...counted,
      seconds,
      ended: new Date().toISOString(),
      commit,
      sources,
    };
    writeWhole(resultFile(part), JSON.stringify(result));
  }
}

/** Totals that mocha prints at its end, after the output of the tests. */
function sums(output: string): { passed: number; failed: number; skipped: number } {
  const text = stripVTControlCharacters(output);
  const [, passed = 0, rest = ""] = /^[^]*^ +(\d+) passing\b([^]*)/m.exec(text) ?? [];
  const sum = (word: string): number =>
    Number(new RegExp(`^ +(\\d+) ${word}$`, "m").exec(rest)?.[1] ?? 0);
  return { passed: Number(passed), failed: sum("failing"), skipped: sum("pending") };
}

/** Hash of tracked and untracked files, without documents: an edit invalidates results, a commit does not. */
async function sourcesHash(): Promise<string> {
  const listed = await git("ls-files", "--cached", "--others", "--exclude-standard", "-z");
  const files = listed.split("\0").filter((file) => file !== "" && !file.endsWith(".md"));
  const there = files
    .map((file) => path.join(projectRoot, file))
    .filter((file) => existsSync(file));
  return hashSources(projectRoot, there);
}

async function git(...args: readonly string[]): Promise<string> {
  return (await execa("git", args, { cwd: projectRoot })).stdout;
}

async function main(): Promise<boolean> {
  const flag = { type: "boolean", default: false } as const;
  const { values, positionals } = parseArgs({
    options: { fresh: flag, list: flag, json: flag, table: flag },
    allowPositionals: true,
  });
  const chosen = chosenParts(positionals);
  if (values.list) {
    const names = chosen.map(({ name }) => name);
    console.log(values.json ? JSON.stringify(names) : names.join("\n"));
    return true;
  }
  const sources = await sourcesHash();
  if (!values.table) {
    await asHolderOf(path.join(folder, "lock"), "runs `make e2e-full`", async () => {
      if (values.fresh)
        await Promise.all(chosen.map((part) => rm(resultFile(part), { force: true })));
      await runParts(chosen, sources);
    });
  }
  return summarize(chosen, sources);
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
