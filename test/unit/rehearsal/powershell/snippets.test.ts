/** Many recorded snippets run in one process, and one that is wrong there is judged by itself. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { snippets } from "../../../powershell/kinds/snippets.ts";
import type { Run, Shell } from "../../../powershell/shells.ts";
import { Cut, type Ended } from "../../../powershell/unhurried.ts";

/** What a snippet gives in which way. */
type Gives = (file: string, recorded: string) => string;

/** The judgement of a PowerShell, and what it ran in processes of their own. */
async function judged(
  together: Gives,
  alone: Gives,
): Promise<{ failures: readonly string[]; passed: number; apart: readonly string[] }> {
  const apart: string[] = [];
  const beside = (file: string, ending: string): string =>
    readFileSync(file.replace(/ps1$/, ending), "utf8");
  const ended = (stdout: string, exitCode: number): Ended => ({ stdout, stderr: "", exitCode });
  const runNow = ({ args: [, file = "", , list = "", , mark = ""] }: Run): Ended => {
    if (!file.endsWith("Invoke-Snippet.ps1")) {
      apart.push(file);
      return ended(alone(file, beside(file, "out")), Number(beside(file, "code")));
    }
    const files = readFileSync(list, "utf8").trimEnd().split("\n");
    const outputs = files.map((each) => `${together(each, beside(each, "out"))}${mark} 0\n`);
    return ended(outputs.join(""), 0);
  };
  const run = (given: Run): Promise<Ended> => Promise.resolve(given).then(runNow);
  const { failures, passed } = await snippets.judge({ name: "", isWindows: false, run } as Shell);
  return { failures: failures.map(({ name }) => name), passed, apart };
}

describe("the judgement of the recorded snippets", () => {
  const name = "control-flow/02-while";
  const right: Gives = (_, recorded) => recorded;
  const wrong: Gives = (file, recorded) => (file.includes(name) ? `${recorded}and more` : recorded);

  it("is of a snippet by itself if it is wrong beside others", async () => {
    const { failures, passed, apart } = await judged(wrong, right);
    assert.deepEqual(failures, []);
    assert.ok(apart.some((file) => file.includes(name)));
    assert.ok(apart.length < passed / 10, String(apart.length));
  });

  it("fails for one that is wrong by itself", async () => {
    assert.deepEqual((await judged(wrong, wrong)).failures, [name]);
  });

  it("is of each by itself if they do not end beside others", async () => {
    const hangs: Gives = () => {
      throw new Cut("it wrote nothing");
    };
    const { failures, passed, apart } = await judged(hangs, right);
    assert.deepEqual(failures, []);
    assert.equal(apart.length, passed);
  });
});
