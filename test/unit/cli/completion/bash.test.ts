import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";

import { completionScript } from "../../../../cli/completion/shell-scripts.ts";
import { newFolder } from "../../new-folder.ts";

const repository = path.resolve(import.meta.dirname, "../../../..");
const kindows = path.join(repository, "kindows");
const bash = "bash --noprofile --norc -i";
const searched = `${repository}:${process.env["PATH"] ?? ""}`;
const tab = "\t";
/** Goes to the beginning of the line and makes it one that prints itself. */
const printIt = "\u0001printf '<%s>' \r";

/** Types something into a bash that has a terminal, and returns the words of the line as it stands then. */
async function typed(keys: string, folder: string): Promise<readonly string[]> {
  const { stdout: output } = await execa("script", ["-qec", bash, "/dev/null"], {
    cwd: folder,
    env: { PATH: searched, HOME: folder, TERM: "dumb", INPUTRC: "/dev/null" },
    extendEnv: false,
    input: `PS1=; . ./completion; printf 'BEGIN\\n'\r${keys}${printIt}exit\r`,
  });
  const printed = /^(?:<[^<>\n]*>)+/m.exec(output.slice(output.lastIndexOf("printf '<%s>'")))?.[0];
  assert.ok(printed, `nothing was printed: ${JSON.stringify(output)}`);
  return printed.slice(1, -1).split("><");
}

describe("bash completes kindows", () => {
  const folder = newFolder();
  before(() => {
    writeFileSync(path.join(folder, "completion"), completionScript("bash", kindows));
    writeFileSync(path.join(folder, "results.html"), "");
  });

  const lines: Readonly<Record<string, readonly string[]>> = {
    [`kindows statu${tab}--js${tab}`]: ["kindows", "status", "--json"],
    [`${kindows} verif${tab}`]: [kindows, "verify"],
    [`no-such-folder/kindows verif${tab}`]: ["no-such-folder/kindows", "verify"],
    [`kindows ssh w${tab}`]: ["kindows", "ssh", "win-1"],
    [`kindows --stack=reh${tab}`]: ["kindows", "--stack=rehearsal"],
    [`kindows verify --html res${tab}`]: ["kindows", "verify", "--html", "results.html"],
    [`kindows nothing-like-this${tab}`]: ["kindows", "nothing-like-this"],
  };
  for (const [keys, words] of Object.entries(lines)) {
    it(keys.replaceAll(tab, "<Tab>"), async () => {
      assert.deepEqual(await typed(keys, folder), words);
    });
  }
});
