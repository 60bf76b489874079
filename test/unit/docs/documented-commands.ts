import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

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
export const documents: readonly string[] = execFileSync("git", ["ls-files", "*.md"], {
  cwd: repository,
  encoding: "utf8",
})
  .split("\n")
  .filter((name) => name !== "");

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
  const blocks: { place: string; language: string; lines: string[] }[] = [];
  let open = false;
  textOf(document)
    .split("\n")
    .forEach((line, index) => {
      const fence = /^\s*```(.*)$/.exec(line);
      if (fence !== null) {
        open = !open;
        if (open) {
          blocks.push({ place: `${document}:${index + 1}`, language: fence[1] ?? "", lines: [] });
        }
      } else if (open) {
        blocks.at(-1)?.lines.push(line);
      }
    });
  return blocks;
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
      place: `${document}:${match.input.slice(0, match.index).split("\n").length}`,
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
