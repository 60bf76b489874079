import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Command, CommanderError } from "commander";

import { kindowsProgram } from "../../../cli/command-line/kindows-program.ts";
import { allCommands } from "../cli/all-commands.ts";
import { codeBlocks, commandsOf, documents, repository } from "./documented-commands.ts";

/** Takes what a command does away from it, and what it says. */
function silenced(command: Command): Command {
  command.configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  if (command.commands.length === 0) command.action(() => undefined);
  command.commands.forEach(silenced);
  return command;
}

const commands = documents.flatMap(commandsOf);
const beginningWith = (name: string): typeof commands =>
  commands.filter(({ words }) => words[0] === name);

describe("commands in the documents", () => {
  const program = silenced(kindowsProgram());

  it("are found: in blocks and in the text", () => {
    assert.ok(commands.length > 80, `${commands.length} commands`);
    const lines = commands.map(({ words }) => words.join(" "));
    for (const line of ["kindows ssh win-1 -- systeminfo", "make env", "kindows completion fish"]) {
      assert.ok(lines.includes(line), line);
    }
  });

  it("stand in blocks that say which language they are in", () => {
    const silent = documents.flatMap(codeBlocks).filter(({ language }) => language === "");
    assert.deepEqual(silent, []);
  });

  it("are taken by the CLI: every command, argument and option of them", async () => {
    const refused: string[] = [];
    for (const { place, words } of beginningWith("kindows")) {
      const problem = await refusal(program, words.slice(1));
      if (problem !== undefined) refused.push(`${place}: ${words.join(" ")}: ${problem}`);
    }
    assert.deepEqual(refused, []);
  });

  it("would be refused if they were wrong", async () => {
    for (const line of ["upp", "up --verbos", "ssh", "cache prune --unused-for x", "image burn"]) {
      assert.notEqual(await refusal(program, [...line.split(" "), "--stack", "dev"]), undefined);
    }
  });

  it("are targets of the Makefile with what it does for them, and variables that it reads", () => {
    const makefile = readFileSync(path.join(repository, "Makefile"), "utf8");
    const words = new Set(beginningWith("make").flatMap((command) => command.words.slice(1)));
    assert.ok(words.size > 10);
    const unknown = [...words].filter((word) => {
      const [, variable] = /^([A-Z]+)=/.exec(word) ?? [];
      return !(variable === undefined
        ? new RegExp(`^${word}:.*\\n\\t`, "m").test(makefile)
        : makefile.includes(`$(${variable})`) || makefile.includes(`export ${variable}\n`));
    });
    assert.deepEqual(unknown, []);
  });

  it("name programs of this project that are there", () => {
    const programs = [...beginningWith("node"), ...beginningWith(".ci/run")]
      .flatMap(({ words }) => words)
      .filter((word) => word.includes("/"));
    assert.ok(programs.length > 2);
    const missing = programs.filter((name) => !existsSync(path.join(repository, name)));
    assert.deepEqual(missing, []);
  });

  it("are all in docs/cli.md, with every option, and no other", () => {
    const [, text = ""] = /^## Commands$([^]*?)^## Exit codes$/m.exec(
      readFileSync(path.join(repository, "docs/cli.md"), "utf8"),
    ) ?? [""];
    const synopses = [...text.matchAll(/\*\*`([^`]+)`\*\*/g)].map((match) =>
      (match[1] ?? "").replace(/\s+/g, " "),
    );
    const written = synopses.map((synopsis) => ({
      name: /^[a-z][a-z-]*( [a-z][a-z-]*)*/.exec(synopsis)?.[0] ?? "",
      options: (synopsis.match(/--[a-z][a-z-]*/g) ?? []).sort(),
    }));
    const known = allCommands(program).map(({ name, command }) => ({
      name,
      options: command
        .createHelp()
        .visibleOptions(command)
        .flatMap(({ long }) => long ?? [])
        .filter((option) => !["--help", "--stack"].includes(option))
        .sort(),
    }));
    const byName = (one: { name: string }, other: { name: string }): number =>
      one.name < other.name ? -1 : 1;
    assert.deepEqual(written.sort(byName), known.sort(byName));
  });
});

/** What the CLI's own parser has against a command line; the name of a command alone is none. */
async function refusal(program: Command, words: readonly string[]): Promise<string | undefined> {
  try {
    await program.parseAsync([...words], { from: "user" });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const mentioned = error.code === "commander.missingArgument" && words.length === 1;
    return error.exitCode === 0 || (mentioned && words[0] === "console")
      ? undefined
      : error.message;
  }
}
