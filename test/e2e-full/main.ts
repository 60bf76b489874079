/**
 * `make e2e-full`: every test that needs a hypervisor, in parts. What has passed is kept in .kindows/e2e-full, and not run
 * again while the sources are the same.
 *
 * Arguments: names of parts, for less than all; `--fresh` starts over; `--list` names the parts, with `--json` for a
 * workflow; `--table` only tells what is known of them.
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
import { killPoints } from "../e2e/kill-points.ts";
import { runAsGroup } from "../e2e/process-group.ts";

/** Only ends a hang: four nodes take their time where machines are emulated. */
const testMinutes = 60;

const leftLabs = "./test/e2e-full/left-labs.ts";

const folder = path.join(localFolder, "e2e-full");

interface Part {
  readonly name: string;
  /** Arguments of mocha: a file, and which of its tests. */
  readonly args: readonly string[];
}

/** Of files that take hours: what the titles of their tests begin with. */
const rows: Readonly<Record<string, readonly string[]>> = {
  "killed-runs": killPoints.map(({ state }) => state),
};

/** Each file of test/e2e and test/e2e-full, or each of its rows. */
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

/** The parts of these names; a file's name stands for all of its rows. @throws for a name that no part has. */
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
  /** For people: the commit, and whether files differed from it. */
  commit: z.string(),
  /** What decides whether it still holds: a hash of the sources. */
  sources: z.string(),
});

const resultFile = ({ name }: Part): string => path.join(folder, `${name}.json`);

/** What became of a part with these sources: what was found with others does not count. */
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

/** Runs those that have not passed with these sources, each in a mocha of its own; a signal ends it with all it started. */
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

/** What mocha has counted at its end; what tests print themselves comes before. */
function sums(output: string): { passed: number; failed: number; skipped: number } {
  const text = stripVTControlCharacters(output);
  const [, passed = 0, rest = ""] = /^[^]*^ +(\d+) passing\b([^]*)/m.exec(text) ?? [];
  const sum = (word: string): number =>
    Number(new RegExp(`^ +(\\d+) ${word}$`, "m").exec(rest)?.[1] ?? 0);
  return { passed: Number(passed), failed: sum("failing"), skipped: sum("pending") };
}

/** Of what git has or would take, without documents: results hold across commits, and fall with an edit. */
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
