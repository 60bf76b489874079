import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

import { lines } from "../../../host/host.ts";

export const repository = path.resolve(import.meta.dirname, "../../..");

/** A command in a document. */
export interface DocumentedCommand {
  /** Its location, e.g. `README.md:36`. */
  readonly place: string;
  /** Its words with placeholders filled in, e.g. `["kindows", "up", "--stack", "dev"]`. */
  readonly words: readonly string[];
}

/** A fenced code block. */
export interface CodeBlock {
  readonly place: string;
  /** Text after the opening fence, e.g. `sh`; may be empty. */
  readonly language: string;
  readonly lines: readonly string[];
}

/** The documents that git tracks. */
export const documents = lines(
  execFileSync("git", ["ls-files", "*.md"], { cwd: repository, encoding: "utf8" }),
);

/** Programs whose command lines are checked; `kubectl` and `ssh` alone are names, not commands. */
const program =
  /^(\.\/kindows|kindows|make|pulumi|kubectl|eval|source|node|curl|tar|\.ci\/run)( |$)/;

/** Values for placeholders in commands. */
const placeholders: Readonly<Record<string, string>> = {
  "<name>": "dev",
  "<node>": "win-1",
  "<folder>": "sealing",
  "<command>": "up",
  "<branch>": "main",
  "examples/applications/...": "examples/applications/web-server.yaml",
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

/** Every command of a document: the lines of its shell blocks, and code spans that begin like a command. */
export function commandsOf(document: string): readonly DocumentedCommand[] {
  const blocks = codeBlocks(document)
    .filter(({ language }) => language === "sh")
    .flatMap(({ place, lines }) => lines.map((line) => ({ place, text: line })));
  const prose = textOf(document)
    .replace(/^\s*```[^]*?^\s*```$/gm, (block) => block.replace(/[^\n]/g, ""))
    // A code span may continue on the next line.
    .matchAll(/`([^`]+)`/g);
  const spans = [...prose]
    .map((match) => ({
      place: placeOf(document, match),
      text: (match[1] ?? "").replace(/\s+/g, " "),
    }))
    // A single word is a name, not a command.
    .filter(({ text }) => program.test(text) && text.includes(" "));
  return [...blocks, ...spans].flatMap(({ place, text }) =>
    simpleCommands(text).map((command) => ({ place, words: wordsOf(command) })),
  );
}

function textOf(document: string): string {
  return readFileSync(path.join(repository, document), "utf8");
}

/** The commands of a shell line, including those of a pipe and in `$(...)` and `<(...)`. */
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
    // Optional parts count as present.
    command.replace(/[[\]]/g, "").replace(/^\.\/kindows/, "kindows"),
  );
  return [...filled.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  );
}
