import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Writes a file completely or, if this process is killed, not at all. Creates its folder with the same privacy if it is
 * missing.
 */
export function writeWhole(file: string, text: string, mode = 0o666): void {
  // Everyone who may read the file may also search its folder.
  mkdirSync(path.dirname(file), { recursive: true, mode: mode | ((mode & 0o444) >> 2) });
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, text, { mode });
  renameSync(aside, file);
}
