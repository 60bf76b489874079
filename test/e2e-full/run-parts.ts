import { stripVTControlCharacters } from "node:util";
import { runAsGroup, type Finished } from "../e2e/process-group.ts";
import type { PartResult, PartResults } from "./part-results.ts";
import type { Part } from "./parts.ts";

export interface RunOptions {
  readonly results: PartResults;
  /** For the notes. */
  readonly commit: string;
  /** Lets no further part begin. */
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
      ...{ ...counted, seconds, ended: new Date().toISOString(), commit },
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
