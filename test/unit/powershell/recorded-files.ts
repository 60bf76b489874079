/**
 * Recordings lie in one file for each topic, and are run as the files they were made from: this lays them out.
 *
 * Argument: the folder that gets the snippets.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";

/** A script and what lies beside it: the content of each file by its ending. */
export interface Recorded {
  /** What it is about; scripts that only others use have none. */
  readonly point?: string;
  readonly ps1: string;
  /** Arguments, one a line. */
  readonly args?: string;
  readonly stdin?: string;
  readonly out?: string;
  /** Exit code. */
  readonly code?: number;
}

/** Lays out recordings in a folder. @returns them by `<topic>/<name>`, which is where their files lie, without the ending. */
export function layOut(kind: "snippets" | "traces", folder: string): ReadonlyMap<string, Recorded> {
  cpSync(join(import.meta.dirname, "recordings", kind), folder, { recursive: true });
  const all = new Map<string, Recorded>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml"))) {
    const text = readFileSync(join(folder, file), "utf8");
    for (const [name, recorded] of Object.entries(parse(text) as Record<string, Recorded>)) {
      const path = `${file.replace(/\.yaml$/, "")}/${name}`;
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      for (const [ending, content] of Object.entries(recorded)) {
        writeFileSync(join(folder, `${path}.${ending}`), String(content));
      }
      all.set(path, recorded);
    }
    rmSync(join(folder, file));
  }
  return all;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  layOut("snippets", process.argv[2] ?? ".");
}
