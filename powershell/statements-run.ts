/** Which statements were run in this process, for those who measure what tests run of a script. */
import type { SourceFile, Statement } from "./syntax.ts";

/** On what all copies of this module share: the hooks of a test runner may be loaded apart from the tests. */
const shared = globalThis as { statementsRun?: Map<SourceFile, Set<number>> };
const offsets: Map<SourceFile, Set<number>> = (shared.statementsRun ??= new Map<
  SourceFile,
  Set<number>
>());

export function noteRun({ position: { file, start } }: Statement): void {
  const noted = offsets.get(file);
  if (noted) {
    noted.add(start);
  } else {
    offsets.set(file, new Set([start]));
  }
}

/** Offsets of the statements that were run, by the text of the script. */
export function statementsRun(): Map<string, number[]> {
  const byText = new Map<string, number[]>();
  for (const [{ text }, starts] of offsets) {
    byText.set(text, [...new Set([...(byText.get(text) ?? []), ...starts])]);
  }
  return byText;
}
