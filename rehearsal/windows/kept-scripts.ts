/** The shipped scripts' syntax trees, kept on a machine's disk: an emulated CPU takes seconds to parse the scripts. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize } from "node:v8";
import type { Script } from "../../powershell/subset.ts";
import type { SourceFile } from "../../powershell/syntax.ts";

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

/** Where the tree of a script lies, by its text's hash. */
export function keptPath(drive: string, text: string): string {
  return join(drive, "rehearsal/scripts", createHash("sha256").update(text).digest("hex"));
}
