import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

import { lines } from "../../../host/host.ts";

export const repository = path.resolve(import.meta.dirname, "../../..");

/** A command as a document has it. */
export interface DocumentedCommand {
  /** Where it stands: `README.md:36`. */
  readonly place: string;
  /** The words of it, placeholders filled in: `["kindows", "up", "--stack", "dev"]`. */
  readonly words: readonly string[];
}

/** A block of code between three backquotes. */
export interface CodeBlock {
  readonly place: string;
  /** What stands behind the first three: empty where nothing does. */
  readonly language: string;
  readonly lines: readonly string[];
}

/** Documents of this repository: those that git knows. */
export const documents = lines(
  execFileSync("git", ["ls-files", "*.md"], { cwd: repository, encoding: "utf8" }),
);

/** Programs whose command lines are looked at; `kubectl` and `ssh` alone are names, not commands. */
const program =
  /^(\.\/kindows|kindows|make|pulumi|kubectl|eval|source|node|curl|tar|\.ci\/run)( |$)/;

/** What stands for what, in commands with a place to fill in. */
const placeholders: Readonly<Record<string, string>> = {
  "<name>": "dev",
  "<node>": "win-1",
  "<folder>": "sealing",
  "<command>": "up",
  "<branch>": "main",
  "samples/...": "samples/web-server.yaml",
};

/** The blocks of code of a document. */
export function codeBlocks(document: string): readonly CodeBlock[] {
  return [...textOf(document).matchAll(/^[ \t]*```(.*)\n([^]*?)^[ \t]*```$/gm)].map((match) => ({
    place: placeOf(document, match),
    language: match[1] ?? "",
    lines: (match[2] ?? "").split("\n").slice(0, -1),
  }));
}

function placeOf(document: string, { input, index }: RegExpExecArray): string {
  return `${document}:${input.slice(0, index).split("\n").length}`;
}

/** Every command of a document: the lines of its shell blocks, and what stands in backquotes and begins like one. */
export function commandsOf(document: string): readonly DocumentedCommand[] {
  const blocks = codeBlocks(document)
    .filter(({ language }) => language === "sh")
    .flatMap(({ place, lines }) => lines.map((line) => ({ place, text: line })));
  const prose = textOf(document)
    .replace(/^\s*```[^]*?^\s*```$/gm, (block) => block.replace(/[^\n]/g, ""))
    // A span may go on in the next line of its paragraph.
    .matchAll(/`([^`]+)`/g);
  const spans = [...prose]
    .map((match) => ({
      place: placeOf(document, match),
      text: (match[1] ?? "").replace(/\s+/g, " "),
    }))
    // One word is a name, but for `make`'s.
    .filter(({ text }) => program.test(text) && text.includes(" "));
  return [...blocks, ...spans].flatMap(({ place, text }) =>
    simpleCommands(text).map((command) => ({ place, words: wordsOf(command) })),
  );
}

function textOf(document: string): string {
  return readFileSync(path.join(repository, document), "utf8");
}

/** The commands that a line of a shell is made of: those of a pipe, and those in `$(...)` and `<(...)`. */
function simpleCommands(line: string): readonly string[] {
  const inner = [...line.matchAll(/[$<]\(([^)]*)\)/g)].map((match) => match[1] ?? "");
  const outer = line
    .replace(/\s+#.*$/, "")
    .replace(/"?[$<]\([^)]*\)"?/g, "INNER")
    .split(" | ");
  return [...outer, ...inner]
    .map((command) => command.trim())
    .filter((command) => command !== "" && !/^(eval|source)( INNER|$)/.test(command));
}

function wordsOf(command: string): readonly string[] {
  const filled = Object.entries(placeholders).reduce(
    (text, [placeholder, value]) => text.replaceAll(placeholder, value),
    // What may be left out is taken as written.
    command.replace(/[[\]]/g, "").replace(/^\.\/kindows/, "kindows"),
  );
  return [...filled.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  );
}
