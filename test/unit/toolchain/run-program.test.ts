import assert from "node:assert/strict";
import { runProgram, type ProgramEnd } from "../../../toolchain/run-program.ts";

describe("a program of the host", () => {
  const script = (text: string): readonly string[] => ["-c", text];
  const cases: readonly (readonly [
    what: string,
    program: string,
    args: readonly string[],
    seconds: number,
    end: ProgramEnd,
  ])[] = [
    [
      "ends well, in English, with nothing to read",
      "sh",
      script('cat; echo "$LC_ALL"; echo note >&2'),
      600,
      { how: "well", stdout: "C", stderr: "note", reason: "" },
    ],
    [
      "ends badly, with its last words",
      "sh",
      script("echo half; echo 'error: no such domain' >&2; exit 1"),
      600,
      {
        how: "badly",
        stdout: "half",
        stderr: "error: no such domain",
        reason: "error: no such domain",
      },
    ],
    [
      "is stopped at the end of its time",
      "sleep",
      ["3600"],
      0.2,
      { how: "late", stdout: "", stderr: "", reason: "no answer within 0.2 s" },
    ],
    [
      "is not installed",
      "no-such-program",
      [],
      600,
      {
        how: "missing",
        stdout: "",
        stderr: "",
        reason: "the program no-such-program is not installed",
      },
    ],
  ];
  for (const [what, program, args, seconds, end] of cases) {
    it(what, async () => {
      assert.deepEqual(await runProgram(program, args, seconds), end);
    });
  }

  it("that says nothing is named where it ends badly", async () => {
    const { how, reason } = await runProgram("sh", script("exit 3"), 600);
    assert.equal(how, "badly");
    assert.match(reason, /exit code 3/);
  });
});
