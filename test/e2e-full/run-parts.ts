import { stripVTControlCharacters } from "node:util";

import { runAsGroup } from "../e2e/process-group.ts";
import type { PartResults } from "./part-results.ts";
import type { Part } from "./parts.ts";

export interface RunOptions {
  readonly results: PartResults;
  /** For the notes. */
  readonly commit: string;
  /** Ends the part that runs, and lets no other one begin. */
  readonly signal: AbortSignal;
  /** What mocha is told for every part. */
  readonly args: readonly string[];
  readonly print: (text: string) => void;
}

/** Runs those that have not passed with these sources, one after the other, each in a mocha of its own. */
export async function runParts(parts: readonly Part[], options: RunOptions): Promise<void> {
  const { results, commit, signal, args, print } = options;
  for (const part of parts) {
    if ((await results.of(part))?.result === "passed") continue;
    if (signal.aborted) return;
    print(`=== ${part.name}\n`);
    const { exitCode, output, seconds } = await runAsGroup(
      "node_modules/.bin/mocha",
      [...args, ...part.args],
      { logFile: results.logFile(part), onText: print, signal },
    );
    const passed = sum(output, "passing");
    const isPassed = exitCode === 0 && passed > 0;
    await results.note(part, {
      result: isPassed ? "passed" : signal.aborted ? "interrupted" : "failed",
      ...{ passed, failed: sum(output, "failing"), skipped: sum(output, "pending") },
      ...{ seconds, ended: new Date().toISOString(), commit },
    });
  }
}

/** The number that mocha prints before a word at its end; a test's own output comes before. */
function sum(output: string, word: string): number {
  const lines = stripVTControlCharacters(output).matchAll(new RegExp(`^ +(\\d+) ${word}\\b`, "gm"));
  return Number([...lines].at(-1)?.[1] ?? 0);
}
