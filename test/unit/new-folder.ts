import { mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** A folder for the files of a test. It goes at the end of the process, with all that lies beside it. */
export const newFolder = (): string => mkdtempSync(path.join(os.tmpdir(), "test-"));

/** Paths in such a folder. */
export function inNewFolder(): (...names: readonly string[]) => string {
  const folder = newFolder();
  return (...names) => path.join(folder, ...names);
}
