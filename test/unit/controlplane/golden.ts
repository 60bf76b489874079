import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

/** Compares text with a file in golden/; `UPDATE_GOLDEN=1` writes it instead, for a look at the difference in git. */
export function assertGolden(folder: URL, name: string, actual: string): void {
  const file = new URL(`golden/${name}`, folder);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    writeFileSync(file, actual);
  }
  assert.equal(actual, readFileSync(file, "utf8"));
}
