/**
 * Unpacks recordings, which are kept in one file of each kind, into the files that they were made from.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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

/** Lays out, below a folder, the steps that a trace runs, with stand-ins for some of their libraries. @returns where. */
export function layOutSteps(steps: string, recordings: string, folder: string): string {
  const laid = join(folder, "traces-x", "steps");
  cpSync(steps, laid, { recursive: true });
  cpSync(join(laid, "lib", "NativeCommand.ps1"), join(laid, "lib", "NativeCommand.original.ps1"));
  cpSync(join(steps, "..", "..", "kubeproxy", "start.ps1"), join(laid, "start.ps1"));
  cpSync(join(recordings, "lib"), join(laid, "lib"), { recursive: true });
  return laid;
}

/** What a trace wrote, without what is different each time: moments, places, ids, the machine's name. */
export function withoutChance(text: string): string {
  return (
    text
      .replace(/\r\n?/g, "\n")
      .replace(/(\.ps1):\d+\)/g, "$1:<line>)")
      .replace(/"seconds":[0-9.]+/g, '"seconds":0')
      // What is left of some minutes by the host's own clock.
      .replace(/(?<=\(at most )\d+(?= s)/g, (seconds) =>
        Number(seconds) > 60 ? String(Math.ceil(Number(seconds) / 10) * 10) : seconds,
      )
      .replace(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z?/g, "<time>")
      .replace(/\b[0-9a-f]{32}\b/g, "<guid>")
      .replace(/"(computerName|powerShell)":"[^"]*"/g, '"$1":"<$1>"')
      .replace(/the computer is named [^ ,]+/g, "the computer is named <computerName>")
      .replace(/(?<![^\s"'(])[^\s"'(]*traces-\w+[\\/]+steps/g, "<steps>")
      .replace(/(?<![^\s"'(])[^\s"'(]*[\\/]traces[\\/]+(?=[\w-]+[\\/]+[\w-]+\.ps1)/g, "<traces>/")
      .replace(/\b[0-9]{18}\b/g, "<ticks>")
  );
}

/**
 * The same for 5.1 and 7: these have other blanks in JSON over several lines, other escapes, and 7 has `.0` behind a whole
 * number that is a double.
 */
export function normalised(text: string): string {
  return (
    withoutChance(text)
      // The interpreter names the statement's place in the step, PowerShell the command's in the library.
      .replace(/\(the step failed at [^)]*\)/g, "(the step failed at <place>)")
      .replace(/(\\r\\n) +/g, "$1")
      .replace(/": +(?=\S)/g, '":')
      .replace(/\[(?:\\r\\n)+\]/g, "[]")
      .replace(/\\u00(2[67]|3[ce])/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
      .replace(/(":\d+)\.0(?=[,}])/g, "$1")
  );
}
