import { createInterface } from "node:readline";

import { Cache } from "../../toolchain/cache.ts";
import { transferText } from "../../toolchain/progress-text.ts";
import { Failure } from "../../host/failure.ts";
import { findPrograms, type FetchedFile } from "./programs.ts";

export interface Consent {
  readonly stack: string;
  readonly yes: boolean;
  /** Asks for one line at a terminal; undefined if there is none. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

export function consentOf(stack: string, yes: boolean): Consent {
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
  return { stack, yes, ask: isTerminal ? answer : undefined };
}

/** Asks before downloading what a stack lacks in the cache. */
export async function requireConsent(
  all: readonly FetchedFile[],
  { stack, yes, ask }: Consent,
  cache = new Cache(),
): Promise<void> {
  // The user's own are only copied.
  const files = all.filter(({ uri }) => !uri.startsWith("file:"));
  const states = await findPrograms(files, cache);
  const lines = files.filter((_, index) => states[index]?.state === "missing").map(lineOf);
  if (lines.length === 0 || yes) return;
  const what = `the stack ${stack} needs files that this host does not have yet:\n${lines.join("\n")}\n`;
  if (ask === undefined) {
    throw new Failure(
      `${what}Nothing was changed. Run it again with \`--yes\` to download them, ` +
        `or run \`./kindows fetch --stack ${stack}\` first.`,
    );
  }
  if (!/^y(es)?$/i.test(await ask(`${what}Download them? [y/N] `))) {
    throw new Failure("nothing was downloaded, and nothing was changed");
  }
}

function lineOf({ uri, bytes, sha256 }: FetchedFile): string {
  const size = bytes === undefined ? "" : `, ${transferText(bytes)}`;
  const trust = sha256 === undefined ? ", with the checksum that its publisher provides" : "";
  return `  - ${uri}${size}${trust}`;
}

/** Reads one line in the terminal's normal mode, so ^C ends the process; empty after ^D. */
export async function answer(
  question: string,
  input: NodeJS.ReadableStream = process.stdin,
): Promise<string> {
  process.stderr.write(question);
  for await (const line of createInterface({ input, terminal: false })) {
    return line.trim();
  }
  return "";
}
