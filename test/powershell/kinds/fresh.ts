/**
 * Rows that nobody has written: the interpreter gives what a PowerShell gives, or refuses.
 *
 * Other rows with another SEED, e.g. the date; ROWS of them. Both are variables of the environment, or of make.
 */
import { Unsupported } from "../../../rehearsal/powershell/values.ts";
import {
  type InterpretRow,
  rowInterpreter,
} from "../../unit/rehearsal/powershell/interpreted-row.ts";
import { onWindowsPowerShell } from "../../unit/rehearsal/powershell/windows-powershell.ts";
import { type FreshRow, FreshRows, isAboutFiles } from "../fresh-rows.ts";
import { type Kind, Judgement } from "../kind.ts";
import { partsOf } from "../row-parts.ts";
import type { Shell } from "../shells.ts";
import { runParts } from "./tables.ts";

interface Difference extends FreshRow {
  readonly got: string;
  readonly wanted: string;
}

export const fresh: Kind = {
  name: "fresh",
  async judge(shell) {
    const judgement = new Judgement();
    if (shell.isWindows) {
      judgement.skip("all", "the interpreter has the files of Linux there");
      return judgement;
    }
    const { SEED: seed = "kindows", ROWS: count = "2000" } = process.env;
    const rows = new FreshRows(seed);
    const made = Array.from({ length: Number(count) }, () => rows.next());
    const interpret = rowInterpreter();
    const { same, refused, different } = await compare(shell, interpret, made);
    for (let each = 0; each < same; each++) judgement.pass();
    judgement.skip(`${refused} of ${count} rows`, "the interpreter refuses them");
    for (const { topic, script, got, wanted } of await smallest(shell, interpret, different)) {
      judgement.fail(
        `${topic}: ${script}`,
        `${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`,
      );
    }
    return judgement;
  },
};

/** The names of folders that rows make, or their ends, and GUIDs. */
const folders = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{8,}(?=\/)/g;

async function compare<Row extends FreshRow>(
  shell: Shell,
  interpret: InterpretRow,
  rows: readonly Row[],
): Promise<{ same: number; refused: number; different: readonly (Row & Difference)[] }> {
  const run: (Row & { readonly got: string })[] = [];
  for (const row of rows) {
    const got = await interpret(row.script);
    if (!(got instanceof Unsupported)) run.push({ ...row, got });
  }
  let different: readonly (Row & Difference)[] = run.map((row) => ({ ...row, wanted: "" }));
  // The order in a table is different each time, so one of two is the interpreter's by chance.
  for (let round = 0; round < 10 && different.length > 0; round++) {
    const given = await runParts(shell, different, true);
    different = different.flatMap((row, n) => {
      const wanted = onWindowsPowerShell(given[n] ?? "", row.script);
      // What is no PowerShell ends both.
      const isUnparsed = wanted.startsWith("unparsed") && row.got.includes("ScriptSyntaxError");
      const isSame = row.got.replace(folders, "") === wanted.replace(folders, "");
      return isSame || isUnparsed ? [] : [{ ...row, wanted }];
    });
  }
  const same = run.length - different.length;
  return { same, refused: rows.length - run.length, different };
}

/** Leaves out of each row whatever makes no difference; of the first ones, because that takes as long as all rows. */
async function smallest(
  shell: Shell,
  interpret: InterpretRow,
  different: readonly Difference[],
): Promise<readonly Difference[]> {
  let all = [...different];
  for (let round = 0, progress = true; progress && round < 8; round++) {
    progress = false;
    const tried = all
      .slice(0, 20)
      .flatMap(({ topic, script }, of) =>
        isAboutFiles(topic) ? [] : smaller(script).map((less) => ({ topic, script: less, of })),
      );
    const { different: still } = await compare(shell, interpret, tried);
    all = all.map((row, of) => {
      const [best] = still
        .filter((each) => each.of === of)
        .sort((a, b) => a.script.length - b.script.length);
      progress ||= best !== undefined;
      return best ?? row;
    });
  }
  return [...new Map(all.map((row) => [row.script, row])).values()];
}

/** The script without one of its statements, commands or members, or with a value in the place of one that has it. */
function smaller(script: string): readonly string[] {
  try {
    const less = partsOf(script).flatMap(({ role, start, end, inner = [] }) => {
      const instead = inner.map((each) => script.slice(each.start, each.end));
      if (role === "statement" || role === "access") instead.push("");
      const texts = instead.map((text) => script.slice(0, start) + text + script.slice(end));
      return role === "stage"
        ? [script.slice(0, start).replace(/\|\s*$/, "") + script.slice(end)]
        : texts;
    });
    return less.filter((each) => each.length < script.length && each.trim() !== "");
  } catch {
    return [];
  }
}
