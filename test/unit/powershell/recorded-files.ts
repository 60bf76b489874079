/**
 * Unpacks recordings, which are kept in one file of each kind, into the files that they were made from.
 *
 * Argument: the folder for the snippets.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
  const recordings = join(import.meta.dirname, "recordings");
  if (kind === "traces") cpSync(join(recordings, kind), folder, { recursive: true });
  const all = parse(readFileSync(join(recordings, `${kind}.yaml`), "utf8")) as Record<
    string,
    Recorded
  >;
  for (const [path, recorded] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    for (const [ending, content] of Object.entries(recorded)) {
      writeFileSync(join(folder, `${path}.${ending}`), String(content));
    }
  }
  return new Map(Object.entries(all));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  layOut("snippets", process.argv[2] ?? ".");
}
