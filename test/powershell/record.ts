/**
 * `make record-powershell`: records anew, from the PowerShells on the PATH, what the tables, the snippets and the steps give.
 * A new one has an empty output in its file until then. What is different each time is not recorded.
 *
 * Arguments: `tables`, `snippets` or `steps`. Default: all.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { projectRoot } from "../../toolchain/project.ts";
import { tables, writeTables } from "../unit/rehearsal/powershell/recorded-tables.ts";
import { runSnippets } from "./kinds/snippets.ts";
import { runSteps } from "./kinds/steps.ts";
import { runParts } from "./kinds/tables.ts";
import { howToGet, type Shell, withShells } from "./shells.ts";

const folder = join(projectRoot, "test/unit/rehearsal/powershell/recordings");

/** An order that PowerShell chooses by chance is the same this many times in one of 500 rows. */
const times = 10;

interface Recorder {
  readonly name: string;
  /** Whether this PowerShell gives what is recorded. */
  readonly suits: (shell: Shell) => boolean;
  readonly record: (shell: Shell) => Promise<void>;
}

/** Writes outputs into a file of recordings, whose other lines stay as they are. */
async function recordYaml(
  kind: string,
  outputs: ReadonlyMap<string, Readonly<Record<string, string | number>>>,
): Promise<void> {
  const file = join(folder, `${kind}.yaml`);
  const document = parseDocument(await readFile(file, "utf8"));
  for (const [name, output] of outputs) {
    for (const [key, value] of Object.entries(output)) document.setIn([name, key], value);
  }
  await writeFile(file, document.toString({ lineWidth: 0 }));
}

const recorders: readonly Recorder[] = [
  {
    name: "tables",
    suits: ({ isWindows }) => !isWindows,
    async record(shell) {
      const rows = [...tables().values()].flat();
      const runs: (readonly string[])[] = [];
      while (runs.length < times) runs.push(await runParts(shell, rows));
      const [first = []] = runs;
      const given = rows.map((row, n) => ({ ...row, recorded: first[n] ?? "" }));
      // Ids and temporary folders.
      const isConstant = (text: string, n: number): boolean =>
        runs.every((run) => run[n] === text) && !/[0-9a-f]{32}|\/tmp\//.test(text);
      const [kept, dropped] = [true, false].map((constant) =>
        given.filter(({ recorded }, n) => isConstant(recorded, n) === constant),
      );
      for (const { topic, script } of dropped ?? [])
        say(`not the same each time: ${topic}: ${script}`);
      writeTables(kept ?? []);
    },
  },
  {
    name: "snippets",
    suits: ({ isWindows }) => !isWindows,
    async record(shell) {
      const ran = await runSnippets(shell);
      await recordYaml(
        "snippets",
        new Map([...ran].map(([name, { given }]) => [name, { ...given }])),
      );
    },
  },
  {
    name: "steps",
    suits: ({ isWine }) => isWine,
    async record(shell) {
      const ran = await runSteps(shell);
      await recordYaml(
        "traces",
        new Map([...ran].map(([name, { given }]) => [name, { out: given }])),
      );
    },
  },
];

const say = (line: string): void => console.log(line);

async function main(names: readonly string[]): Promise<number> {
  const chosen = recorders.filter(({ name }) => names.length === 0 || names.includes(name));
  if (chosen.length < names.length) {
    say(`There are recordings of ${recorders.map(({ name }) => name).join(", ")} only.`);
    return 2;
  }
  let code = 0;
  await withShells(async (shells) => {
    for (const { name, suits, record } of chosen) {
      const shell = shells.find((each) => suits(each) && !each.isDesktop);
      if (shell) {
        await record(shell);
        say(`${name}: recorded from ${shell.name}`);
      } else {
        say(`${name}: NOT RECORDED, there is no PowerShell for it on the PATH. ${howToGet}`);
        code = 1;
      }
    }
  }, say);
  return code;
}

process.exitCode = await main(process.argv.slice(2));
