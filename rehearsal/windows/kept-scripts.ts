/** The scripts' syntax trees, stored on the machine's disk because an emulated CPU takes seconds to parse the scripts. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scripts } from "../powershell/interpreter.ts";
import type { Script } from "../powershell/subset.ts";

/** Adds the syntax trees stored on drive C: to the interpreter's cache. */
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
