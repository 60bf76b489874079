import { closest } from "fastest-levenshtein";

import { pathRows } from "./paths.ts";
import type { Row } from "./row.ts";
import { sampleRows } from "./samples.ts";

/** Every row, in order of display. */
export const allRows: readonly Row[] = [...pathRows, ...sampleRows];

/**
 * Rows by their ids; `*` matches any part of one. Default: all rows.
 *
 * @throws with every pattern that matches no row, and the most similar id.
 */
export function selectRows(patterns: readonly string[]): readonly Row[] {
  if (patterns.length === 0) {
    return allRows;
  }
  const unknown = patterns.filter((pattern) => !allRows.some(({ id }) => fits(id, pattern)));
  if (unknown.length > 0) {
    const ids = allRows.map(({ id }) => id);
    const texts = unknown.map((each) => `"${each}" (did you mean ${closest(each, ids)}?)`);
    throw new Error(
      `--rows: no row is called ${texts.join(", ")}. \`kindows verify --list\` shows all`,
    );
  }
  return allRows.filter(({ id }) => patterns.some((pattern) => fits(id, pattern)));
}

function fits(id: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[^a-z0-9-]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(id);
}
