/**
 * `keep-scripts.ts SOURCE DRIVE` writes the syntax trees of the scripts below the folder SOURCE to the folder DRIVE, which
 * is then copied to drive C:. It is a separate program because nothing that a real `up` runs may import the interpreter.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readScript, scripts } from "../powershell/interpreter.ts";
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
