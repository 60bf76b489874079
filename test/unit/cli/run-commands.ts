/**
 * Runs commands of `kindows` one after the other, for the clone in the working directory. A process for each would
 * take a second longer. Reads their arguments from standard input, and writes their results to the named file.
 */
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { json } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

/** Result of a command. */
export interface CommandRun {
  readonly exitCode: number;
  /** All output. */
  readonly said: string;
  /** Files that the clone keeps between runs. */
  readonly kept: readonly string[];
}

const { freshBundle } = (await import(path.resolve("toolchain/program/fresh-bundle.js"))) as {
  readonly freshBundle: (entry: string) => string;
};
const [, , results = ""] = process.argv;
const program = pathToFileURL(freshBundle("cli/main.ts")).href;
const runs: CommandRun[] = [];
let said = "";
for (const stream of [process.stdout, process.stderr]) {
  stream.setMaxListeners(0);
  stream.write = (text: string | Uint8Array): boolean => {
    said += String(text);
    return true;
  };
}
for (const [place, args] of ((await json(process.stdin)) as string[][]).entries()) {
  said = "";
  process.argv = [process.execPath, "kindows", ...args];
  process.exitCode = undefined;
  // Another URL makes it another module, which runs again.
  await import(`${program}?${place}`);
  runs.push({ exitCode: Number(process.exitCode ?? 0), said, kept: readdirSync(".kindows") });
}
writeFileSync(results, JSON.stringify(runs));
process.exitCode = 0;
