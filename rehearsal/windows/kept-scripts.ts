/** The shipped scripts' syntax trees, kept on a machine's disk: an emulated CPU takes seconds to parse the scripts. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { readScript } from "../../powershell/interpreter.ts";
import type { Script } from "../../powershell/subset.ts";
import type { SourceFile } from "../../powershell/syntax.ts";

/** Where they lie on a machine, as SFTP has it. */
export const keptScriptsFolder = "C:/rehearsal/scripts";

/** Writes the trees of all scripts below a folder, each under a name made of its text. */
export async function keepScripts(source: string, into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  for (const name of await readdir(source, { recursive: true })) {
    if (!name.endsWith(".ps1")) continue;
    const text = (await readFile(join(source, name), "utf8")).replace(/^\ufeff/, "");
    await writeFile(join(into, nameOf(text)), serialize(readScript({ path: name, text })));
  }
}

/** A script's tree out of such a folder; undefined: it has none that is whole. */
export function keptScript(folder: string, file: SourceFile): Script | undefined {
  try {
    const script = deserialize(readFileSync(join(folder, nameOf(file.text)))) as Script;
    Object.assign(script.body.position.file, file);
    return script;
  } catch {
    return undefined;
  }
}

function nameOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
