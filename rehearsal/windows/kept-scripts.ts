/** The shipped scripts' syntax trees, kept on a machine's disk: an emulated CPU takes seconds to parse the scripts. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { readScript } from "../../powershell/interpreter.ts";
import type { Script } from "../../powershell/subset.ts";
import type { SourceFile } from "../../powershell/syntax.ts";

/** Where they lie, below drive C:. */
const keptScriptsFolder = "rehearsal/scripts";

/** Writes the trees of all scripts below a folder to a folder that stands for drive C:, each under its text's hash. */
export async function keepScripts(source: string, drive: string): Promise<void> {
  await mkdir(join(drive, keptScriptsFolder), { recursive: true });
  for (const name of await readdir(source, { recursive: true })) {
    if (!name.endsWith(".ps1")) continue;
    const text = (await readFile(join(source, name), "utf8")).replace(/^\ufeff/, "");
    await writeFile(keptPath(drive, text), serialize(readScript({ path: name, text })));
  }
}

/** By their files. */
const scripts = new Map<string, Script>();

/**
 * A script that drive C: has the tree of; undefined: it is not there, or not whole. Each step has the same libraries in a
 * folder of its own: they are read once, and their place is that where a script was read last.
 */
export function keptScript(drive: string, file: SourceFile): Script | undefined {
  const path = keptPath(drive, file.text);
  try {
    const script = scripts.get(path) ?? (deserialize(readFileSync(path)) as Script);
    Object.assign(script.body.position.file, file);
    scripts.set(path, script);
    return script;
  } catch {
    return undefined;
  }
}

function keptPath(drive: string, text: string): string {
  return join(drive, keptScriptsFolder, createHash("sha256").update(text).digest("hex"));
}
