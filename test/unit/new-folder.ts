import { mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** A folder for a test's files. It is removed at the end of the process, with everything beside it. */
export const newFolder = (): string => mkdtempSync(path.join(os.tmpdir(), "test-"));

/** Paths in such a folder. */
export function inNewFolder(): (...names: readonly string[]) => string {
  const folder = newFolder();
  return (...names) => path.join(folder, ...names);
}
