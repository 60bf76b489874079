import type { Shell } from "./shells.ts";

/** What came of one kind of check. */
export interface Verdict {
  /** How many checks passed. */
  readonly passed: number;
  /** What failed: the name of the check, and what a reader needs to find out why. */
  readonly failures: readonly Failure[];
  /** What was not checked, each with the reason. */
  readonly skips: readonly string[];
}

export interface Failure {
  readonly name: string;
  readonly text: string;
}

/** Checks of the same nature, e.g. all rows of the tables. */
export interface Kind {
  readonly name: string;
  /** Has a real PowerShell do them. */
  readonly judge: (shell: Shell) => Promise<Verdict>;
}

/** Counts checks one after the other. */
export class Judgement implements Verdict {
  passed = 0;
  readonly failures: Failure[] = [];
  readonly skips: string[] = [];

  pass(): void {
    this.passed++;
  }

  fail(name: string, text: string): void {
    this.failures.push({ name, text });
  }

  skip(what: string, why: string): void {
    this.skips.push(`${what}: ${why}`);
  }

  /** Passes where both are the same text. */
  same(name: string, actual: string, wanted: string): void {
    if (actual === wanted) this.pass();
    else this.fail(name, difference(actual, wanted));
  }
}

/** The first lines in which two texts differ. */
function difference(actual: string, wanted: string): string {
  const [got, want] = [actual.split("\n"), wanted.split("\n")];
  const first = got.findIndex((line, n) => line !== want[n]);
  const at = first < 0 ? got.length : first;
  const shown = (lines: readonly string[]): string => JSON.stringify(lines.slice(at, at + 3));
  return `line ${at + 1}: ${shown(got)}, wanted ${shown(want)}`;
}
