import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Writes a file, and its folder, which is as private: the whole or nothing, also if this process is killed. */
export function writeWhole(file: string, text: string, mode = 0o666): void {
  // Whoever may read a file may search its folder.
  mkdirSync(path.dirname(file), { recursive: true, mode: mode | ((mode & 0o444) >> 2) });
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, text, { mode });
  renameSync(aside, file);
}
