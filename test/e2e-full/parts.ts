import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { execa } from "execa";
import * as z from "zod";

import { table } from "../../cli/table.ts";
import { formatSeconds } from "../../toolchain/progress-text.ts";
import { parseJson } from "../../toolchain/parse-json.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import { killPoints } from "../e2e/kill-points.ts";
import { type Finished, runAsGroup } from "../e2e/process-group.ts";

export interface Part {
  readonly name: string;
  /** Arguments of mocha: a file, and which of its tests. */
  readonly args: readonly string[];
}

/** Of files that take hours: what the titles of their tests begin with. */
const rows: Readonly<Record<string, readonly string[]>> = {
  "killed-runs": killPoints.map(({ state }) => state),
};

/** Each file of test/e2e and test/e2e-full, or each of its rows. */
export const parts: readonly Part[] = ["test/e2e", "test/e2e-full"].flatMap((folder) =>
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
export function chosenParts(names: readonly string[], all = parts): readonly Part[] {
  const fits = (part: Part, name: string): boolean =>
    part.name === name || part.name.startsWith(`${name}.`);
  const unknown = names.filter((name) => !all.some((part) => fits(part, name)));
  if (unknown.length > 0) {
    const known = all.map(({ name }) => name).join(", ");
    throw new Error(`there is no part ${unknown.join(", ")}; parts: ${known}`);
  }
  return all.filter((part) => names.length === 0 || names.some((name) => fits(part, name)));
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

type PartResult = z.infer<typeof resultSchema>;

/** What became of the parts, kept in a file for each as soon as it ends. */
export class PartResults {
  /** @param sources hash of the sources as they are now: what was found with others does not count. */
  constructor(
    readonly folder: string,
    private readonly sources: string,
  ) {}

  async of({ name }: Part): Promise<PartResult | undefined> {
    const text = await readFile(this.#file(name, "json"), "utf8").catch(() => "");
    const noted = resultSchema.safeParse(parseJson(text)).data;
    return noted?.sources === this.sources ? noted : undefined;
  }

  /** Whole or not at all, whenever this process is killed. */
  async note({ name }: Part, result: Omit<PartResult, "sources">): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const file = this.#file(name, "json");
    await writeFile(`${file}.new`, JSON.stringify({ ...result, sources: this.sources }));
    await rename(`${file}.new`, file);
  }

  async removeFiles(parts: readonly Part[]): Promise<void> {
    await Promise.all(parts.map(({ name }) => rm(this.#file(name, "json"), { force: true })));
  }

  logFile({ name }: Part): string {
    return this.#file(name, "log");
  }

  /** All parts in a table, and whether each has passed. */
  async summary(
    parts: readonly Part[],
  ): Promise<{ readonly text: string; readonly passed: boolean }> {
    const results = await Promise.all(parts.map((part) => this.of(part)));
    const rows = results.map((each, index) => {
      const name = parts[index]?.name ?? "";
      if (each === undefined) return [name, "not run"];
      const { result, passed, failed, skipped, seconds, commit } = each;
      const time = formatSeconds(seconds);
      return [name, result, `${passed}`, `${failed}`, `${skipped}`, time, commit];
    });
    return {
      text: table(["part", "result", "passed", "failed", "skipped", "time", "commit"], rows),
      passed: results.every((each) => each?.result === "passed"),
    };
  }

  #file(name: string, ending: string): string {
    return path.join(this.folder, `${name}.${ending}`);
  }
}

interface RunOptions {
  readonly results: PartResults;
  /** For the notes. */
  readonly commit: string;
  readonly signal: AbortSignal;
  readonly run: (part: Part) => Promise<Finished>;
}

/** Runs those that have not passed with these sources, one after the other. */
export async function runParts(parts: readonly Part[], options: RunOptions): Promise<void> {
  const { results, commit, signal, run } = options;
  for (const part of parts) {
    if ((await results.of(part))?.result === "passed") continue;
    if (signal.aborted) return;
    const { exitCode, output, seconds } = await run(part);
    const counted = sums(output);
    const bad = signal.aborted ? "interrupted" : "failed";
    await results.note(part, {
      result: exitCode === 0 && counted.passed > 0 ? "passed" : bad,
      ...counted,
      seconds,
      ended: new Date().toISOString(),
      commit,
    });
  }
}

/** Runs tests in a mocha of their own and shows what it prints; a signal ends it with all that it has started. */
export function runMocha(
  args: readonly string[],
  logFile: string,
  signal: AbortSignal,
): Promise<Finished> {
  const onText = (text: string): void => void process.stdout.write(text);
  return runAsGroup("node_modules/.bin/mocha", args, { logFile, onText, signal });
}

/** What mocha has counted at its end; what tests print themselves comes before. */
function sums(output: string): Pick<PartResult, "passed" | "failed" | "skipped"> {
  const text = stripVTControlCharacters(output);
  const [, passed = 0, rest = ""] = /^[^]*^ +(\d+) passing\b([^]*)/m.exec(text) ?? [];
  const sum = (word: string): number =>
    Number(new RegExp(`^ +(\\d+) ${word}$`, "m").exec(rest)?.[1] ?? 0);
  return { passed: Number(passed), failed: sum("failing"), skipped: sum("pending") };
}

/** Of what git has or would take, without documents: results hold across commits, and fall with an edit. */
export async function sourcesOf(folder: string): Promise<string> {
  const listed = await git(folder, "ls-files", "--cached", "--others", "--exclude-standard", "-z");
  const files = listed.split("\0").filter((file) => file !== "" && !file.endsWith(".md"));
  const there = files.map((file) => path.join(folder, file)).filter((file) => existsSync(file));
  return hashSources(folder, there);
}

/** For people: the commit, and whether files differ from it. */
export function commitOf(folder: string): Promise<string> {
  return git(folder, "describe", "--always", "--dirty", "--exclude", "*");
}

async function git(folder: string, ...args: readonly string[]): Promise<string> {
  return (await execa("git", args, { cwd: folder })).stdout;
}
