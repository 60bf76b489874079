/** The recorded small scripts write and exit with what is recorded. */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { layOut, type Recorded } from "../../unit/rehearsal/powershell/recorded-files.ts";
import { type Kind, Judgement } from "../kind.ts";
import type { Shell } from "../shells.ts";
import { Cut } from "../unhurried.ts";

type Snippets = readonly (readonly [name: string, recorded: Recorded])[];

interface Given {
  readonly out: string;
  readonly code: number;
}

const script = join(import.meta.dirname, "Invoke-Snippet.ps1");

/** What each snippet writes and exits with in a process of its own; by name. */
async function runEach(
  shell: Shell,
  all: Snippets,
  folder: string,
): Promise<ReadonlyMap<string, Given>> {
  let done = 0;
  const run = async ([name, { args = "", stdin = "" }]: Snippets[number]): Promise<
    [string, Given]
  > => {
    const file = join(folder, `${name}.ps1`);
    const { stdout: out, exitCode: code } = await shell.run({
      args: ["-File", file, ...args.split("\n").slice(0, -1)],
      input: stdin,
      folder: dirname(file),
    });
    if (++done % 100 === 0) console.log(`snippets, ${shell.name}: ${done} of ${all.length}`);
    return [name, { out, code }];
  };
  return new Map(await Promise.all(all.map(run)));
}

/** A process takes as long to start as some tens of snippets. */
const snippetsInProcess = 100;

/** Those that give what is recorded with others in one process, which takes a thirtieth of the time. */
async function rightTogether(
  shell: Shell,
  all: Snippets,
  folder: string,
): Promise<ReadonlySet<string>> {
  const left = all.filter(([, { ps1, args, stdin, code }]) => {
    return args === undefined && stdin === undefined && code === 0 && !/\bexit\b/i.test(ps1);
  });
  const parts: Snippets[] = [];
  while (left.length > 0) parts.push(left.splice(0, snippetsInProcess));
  const run = async (part: Snippets): Promise<readonly string[]> => {
    const mark = randomUUID();
    const list = join(folder, mark);
    await writeFile(list, part.map(([name]) => `${join(folder, name)}.ps1\n`).join(""));
    const stdout = await shell
      .run({ args: ["-File", script, "-List", list, "-Mark", mark] })
      .then((ran) => ran.stdout)
      .catch((error: unknown) => {
        if (error instanceof Cut) return "";
        throw error;
      });
    const given = stdout.split(new RegExp(`(?<=${mark} [01]\n)`));
    return part.flatMap(([name, { out }], n) => (given[n] === `${out}${mark} 0\n` ? [name] : []));
  };
  return new Set((await Promise.all(parts.map(run))).flat());
}

/** What each snippet writes and exits with on a PowerShell, and what is recorded; by name. */
export async function runSnippets(
  shell: Shell,
): Promise<ReadonlyMap<string, { readonly given: Given; readonly recorded: Given }>> {
  const folder = await mkdtemp(join(tmpdir(), "snippets-"));
  try {
    const all = [...layOut("snippets", folder)].filter(([, { point }]) => point !== undefined);
    const right = await rightTogether(shell, all, folder);
    // Whatever is wrong must be so without the others, too.
    const others = all.filter(([name]) => !right.has(name));
    const given = await runEach(shell, others, folder);
    return new Map(
      all.map(([name, { out = "", code = 0 }]) => {
        const recorded = { out, code };
        return [name, { given: given.get(name) ?? recorded, recorded }];
      }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const snippets: Kind = {
  name: "snippets",
  async judge(shell) {
    const judgement = new Judgement();
    if (shell.isWindows) {
      judgement.skip("all", "they are for Linux: /bin/sh, its paths and line ends");
      return judgement;
    }
    const written = ({ out, code }: Given): string => `${out}exit code ${code}`;
    for (const [name, { given, recorded }] of await runSnippets(shell)) {
      judgement.same(name, written(given), written(recorded));
    }
    return judgement;
  },
};
