/**
 * Writes the syntax trees of the scripts below a folder to one that stands for drive C:: `keep-scripts.ts SOURCE DRIVE`.
 * A program of its own, as nothing that a real `up` runs imports the interpreter.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { serialize } from "node:v8";
import { readScript } from "../../powershell/interpreter.ts";
import { keptPath } from "../windows/kept-scripts.ts";

const [source = "", drive = ""] = process.argv.slice(2);
for (const name of await readdir(source, { recursive: true })) {
  if (!name.endsWith(".ps1")) continue;
  const text = (await readFile(join(source, name), "utf8")).replace(/^\ufeff/, "");
  const path = keptPath(drive, text);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, serialize(readScript({ path: name, text })));
}
