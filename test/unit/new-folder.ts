import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Makes a folder for a test's files, which goes with the process's temporary folder; gives paths in it. */
export function newFolder(): (...names: readonly string[]) => string {
  const folder = mkdtempSync(path.join(tmpdir(), "kindows-test-"));
  return (...names) => path.join(folder, ...names);
}
