/** The recorded small scripts write and exit with what is recorded. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { layOut, type Recorded } from "../../unit/rehearsal/powershell/recorded-files.ts";
import { type Kind, Judgement } from "../kind.ts";
import type { Shell } from "../shells.ts";

interface Snippet {
  readonly given: { readonly out: string; readonly code: number };
  readonly recorded: Recorded;
}

/** What each snippet writes and exits with on a PowerShell, and what is recorded; by name. */
export async function runSnippets(shell: Shell): Promise<ReadonlyMap<string, Snippet>> {
  const folder = await mkdtemp(join(tmpdir(), "snippets-"));
  try {
    const all = [...layOut("snippets", folder)].filter(([, { point }]) => point !== undefined);
    let done = 0;
    const run = async ([name, recorded]: (typeof all)[number]): Promise<[string, Snippet]> => {
      const { args = "", stdin = "" } = recorded;
      const file = join(folder, `${name}.ps1`);
      const ran = await shell.run({
        args: ["-File", file, ...args.split("\n").slice(0, -1)],
        input: stdin,
        folder: dirname(file),
      });
      if (++done % 100 === 0) console.log(`snippets, ${shell.name}: ${done} of ${all.length}`);
      return [name, { given: { out: ran.stdout, code: ran.exitCode }, recorded }];
    };
    return new Map(await Promise.all(all.map(run)));
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
    const written = (out: string, code: number): string => `${out}exit code ${code}`;
    for (const [name, { given, recorded }] of await runSnippets(shell)) {
      const wanted = written(recorded.out ?? "", recorded.code ?? 0);
      judgement.same(name, written(given.out, given.code), wanted);
    }
    return judgement;
  },
};
