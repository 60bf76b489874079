import assert from "node:assert/strict";
import { runProgram, type ProgramEnd } from "../../../toolchain/run-program.ts";

describe("a program of the host", () => {
  const words = "error: no such domain";
  const cases: Readonly<Record<string, readonly [line: string, seconds: number, ProgramEnd]>> = {
    "ends well, in English, with nothing to read": [
      'cat; echo "$LC_ALL"; echo note >&2',
      600,
      { how: "well", stdout: "C", stderr: "note", reason: "" },
    ],
    "ends badly, with its last words": [
      `echo half; echo '${words}' >&2; exit 1`,
      600,
      { how: "badly", stdout: "half", stderr: words, reason: words },
    ],
    "is stopped at the end of its time": [
      "exec sleep 3600",
      0.2,
      { how: "late", stdout: "", stderr: "", reason: "no answer within 0.2 s" },
    ],
  };
  for (const [what, [line, seconds, end]] of Object.entries(cases)) {
    it(what, async () => assert.deepEqual(await runProgram("sh", ["-c", line], seconds), end));
  }

  it("is not installed", async () => {
    const reason = "the program no-such-program is not installed";
    const end = { how: "missing", stdout: "", stderr: "", reason };
    assert.deepEqual(await runProgram("no-such-program", [], 600), end);
  });

  it("that says nothing is named where it ends badly", async () => {
    const { how, reason } = await runProgram("sh", ["-c", "exit 3"], 600);
    assert.equal(how, "badly");
    assert.match(reason, /exit code 3/);
  });
});
