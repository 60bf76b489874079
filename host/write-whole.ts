import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

/**
 * Writes a file completely or, if this process is killed, the power fails or the disk is full, not at all. Creates its
 * folder with the same privacy if it is missing.
 */
export function writeWhole(file: string, text: string, mode = 0o666): void {
  // Everyone who may read the file may also search its folder.
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true, mode: mode | ((mode & 0o444) >> 2) });
  const aside = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    flushed(openSync(aside, "wx", mode), (descriptor) => writeFileSync(descriptor, text));
    renameSync(aside, file);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
  flushed(openSync(folder, "r"), () => undefined);
}

function flushed(descriptor: number, write: (descriptor: number) => void): void {
  try {
    write(descriptor);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
