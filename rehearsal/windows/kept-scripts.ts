/** The shipped scripts' syntax trees, kept on a machine's disk: an emulated CPU takes seconds to parse the scripts. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scripts } from "../../powershell/interpreter.ts";
import type { Script } from "../../powershell/subset.ts";

/** Makes the scripts known that drive C: has the trees of. */
export function readKeptScripts(drive: string): void {
  const file = keptScriptsFile(drive);
  if (existsSync(file)) {
    const kept = JSON.parse(readFileSync(file, "utf8")) as [text: string, script: Script][];
    kept.forEach(([text, script]) => scripts.set(text, script));
  }
}

export function keptScriptsFile(drive: string): string {
  return join(drive, "rehearsal/scripts.json");
}
