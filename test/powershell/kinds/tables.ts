/** The recorded rows of the tables give what is recorded. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { framed, type Row, tables } from "../../unit/rehearsal/powershell/recorded-tables.ts";
import { type Kind, Judgement } from "../kind.ts";
import type { Shell } from "../shells.ts";
import { Cut } from "../unhurried.ts";

/** A process takes as long to start as a hundred rows. */
const rowsInProcess = 5000;

const script = join(import.meta.dirname, "Invoke-Row.ps1");

/** What a row gives that ends its PowerShell. */
const ended = "the end of the process";

/**
 * What each script gives on a PowerShell, in the frame of the tables.
 *
 * @param mayEnd Whether a script may end the process, and be followed by others in another one.
 */
async function runRows(
  shell: Shell,
  scripts: readonly string[],
  mayEnd: boolean,
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "rows-"));
  try {
    const [rows, into, own] = [join(folder, "rows"), join(folder, "output"), join(folder, "own")];
    await mkdir(own);
    await writeFile(rows, scripts.map((each) => `${JSON.stringify(framed(each))}\n`).join(""));
    const paths = { __rows: rows, __into: into, __folder: own };
    const args = Object.entries(paths).flatMap(([name, path]) => [`-${name}`, shell.path(path)]);
    const said = await shell
      .run({ args: ["-File", shell.path(script), ...args], folder, writes: into })
      .then(({ stdout, stderr }) => (stderr || stdout).trim().slice(-500))
      .catch((error: unknown) => {
        if (error instanceof Cut) return error.message;
        throw error;
      });
    const text = await readFile(into, "utf8").catch(() => "");
    const given = text
      .split(/\r?\n/)
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as string);
    if (given.length < scripts.length && mayEnd) {
      given.push(ended);
      return [...given, ...(await runRows(shell, scripts.slice(given.length), mayEnd))];
    }
    if (given.length !== scripts.length) {
      throw new Error(`PowerShell ended before the row ${scripts[given.length] ?? ""}: ${said}`);
    }
    return given;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The same, several processes at a time. */
export async function runParts(
  shell: Shell,
  all: readonly Pick<Row, "script">[],
  mayEnd = false,
): Promise<readonly string[]> {
  const left = all.map(({ script }) => script);
  const parts: (readonly string[])[] = [];
  while (left.length > 0) parts.push(left.splice(0, rowsInProcess));
  let done = 0;
  const run = async (part: readonly string[]): Promise<readonly string[]> => {
    const given = await runRows(shell, part, mayEnd);
    done += part.length;
    console.log(`tables, ${shell.name}: ${done} of ${all.length} rows`);
    return given;
  };
  return (await Promise.all(parts.map(run))).flat();
}

/** Why a PowerShell is not asked for a row, or undefined. */
function notAsked({ topic, script }: Row, shell: Shell): string | undefined {
  if (!shell.isWindows) return undefined;
  if (topic === "paths") return "rows about Linux' paths";
  if (topic === "files: one" && /\b(Set|Add)-Content\b|\bOut-File\b/.test(script)) {
    return "rows that write lines, which end with two characters on Windows";
  }
  if (shell.isWine && !topic.startsWith("files:")) {
    return "rows without files: Wine 8 hangs at casts that fail, such as [int]'A'";
  }
  return undefined;
}

export const rows: Kind = {
  name: "tables",
  async judge(shell) {
    const judgement = new Judgement();
    const reasons = new Map<string, number>();
    const asked = [...tables().values()].flat().filter((row) => {
      const reason = notAsked(row, shell);
      if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      return reason === undefined;
    });
    for (const [reason, count] of reasons) judgement.skip(String(count), reason);
    const given = await runParts(shell, asked);
    asked.forEach((row, n) => judgeRow(judgement, shell, row, given[n] ?? ""));
    return judgement;
  },
};

function judgeRow(
  judgement: Judgement,
  shell: Shell,
  { topic, script, recorded, expected }: Row,
  given: string,
): void {
  const name = `${topic}: ${script}`;
  const wanted = shell.isDesktop ? expected : recorded;
  const slashes = (text: string): string => (shell.isWindows ? text.replaceAll("\\", "/") : text);
  // When the row removes its folder, which still has a file that is gone. The error takes the place of the row's own.
  const before = slashes(wanted).replace(/(^|\n)error \w+$/, "");
  const failed = [slashes(wanted), before].map((text) => `${text && `${text}\n`}error IOException`);
  if (shell.isWine && slashes(given) !== slashes(wanted) && failed.includes(slashes(given)))
    judgement.skip(name, "Wine takes a folder for not empty now and then");
  else judgement.same(name, slashes(given), slashes(wanted));
}
