import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";

/** Writes a file, and its folder: the whole or nothing, also if this process is killed. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const aside = `${file}.${process.pid}`;
  await writeFile(aside, text);
  await rename(aside, file);
}
