/**
 * Writes the syntax trees of the scripts below a folder to one that stands for drive C:: `keep-scripts.ts SOURCE DRIVE`.
 * A program of its own, as nothing that a real `up` runs imports the interpreter.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readScript, scripts } from "../../powershell/interpreter.ts";
import { keptScriptsFile } from "../windows/kept-scripts.ts";

const [source = "", drive = ""] = process.argv.slice(2);
for (const name of await readdir(source, { recursive: true })) {
  if (name.endsWith(".ps1")) {
    const text = (await readFile(join(source, name), "utf8")).replace(/^\ufeff/, "");
    scripts.set(text, readScript({ path: name, text }));
  }
}
const file = keptScriptsFile(drive);
await mkdir(dirname(file), { recursive: true });
await writeFile(file, JSON.stringify([...scripts]));
