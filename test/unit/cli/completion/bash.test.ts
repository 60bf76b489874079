import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { completionScript } from "../../../../cli/completion/shell-scripts.ts";

const repository = path.resolve(import.meta.dirname, "../../../..");
const kindows = path.join(repository, "kindows");
const tab = "\t";
/** Goes to the beginning of the line and makes it one that prints itself. */
const printIt = "\u0001printf '<%s>' \r";

/** Types something into a bash that has a terminal, and returns the words of the line as it stands then. */
async function typed(keys: string, folder: string): Promise<readonly string[]> {
  const child = spawn("script", ["-qec", "bash --noprofile --norc -i", "/dev/null"], {
    cwd: folder,
    env: {
      PATH: `${repository}:${process.env["PATH"] ?? ""}`,
      HOME: folder,
      TERM: "dumb",
      INPUTRC: "/dev/null",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve());
  });
  child.stdin.end(`PS1=; . ./completion; printf 'BEGIN\\n'\r${keys}${printIt}exit\r`);
  await ended;
  const output = Buffer.concat(chunks).toString("utf8");
  const printed = /^(?:<[^<>\n]*>)+/m.exec(output.slice(output.lastIndexOf("printf '<%s>'")))?.[0];
  assert.ok(printed, `nothing was printed: ${JSON.stringify(output)}`);
  return printed.slice(1, -1).split("><");
}

describe("bash completes kindows", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "kindows-completion-"));
    await writeFile(path.join(folder, "completion"), completionScript("bash", kindows));
    await writeFile(path.join(folder, "results.html"), "");
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const { keys, words } of [
    { keys: `kindows statu${tab}--js${tab}`, words: ["kindows", "status", "--json"] },
    { keys: `${kindows} verif${tab}`, words: [kindows, "verify"] },
    { keys: `no-such-folder/kindows verif${tab}`, words: ["no-such-folder/kindows", "verify"] },
    { keys: `kindows ssh w${tab}`, words: ["kindows", "ssh", "win-1"] },
    { keys: `kindows --stack=reh${tab}`, words: ["kindows", "--stack=rehearsal"] },
    { keys: `kindows -s reh${tab}dow${tab}`, words: ["kindows", "-s", "rehearsal", "down"] },
    {
      keys: `kindows verify --html res${tab}`,
      words: ["kindows", "verify", "--html", "results.html"],
    },
    { keys: `kindows completion z${tab}`, words: ["kindows", "completion", "zsh"] },
    { keys: `kindows nothing-like-this${tab}`, words: ["kindows", "nothing-like-this"] },
  ]) {
    it(keys.replaceAll(tab, "<Tab>"), async () => {
      assert.deepEqual(await typed(keys, folder), words);
    });
  }
});
