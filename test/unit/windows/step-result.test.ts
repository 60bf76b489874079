import assert from "node:assert/strict";
import { parseStepResult, textFact } from "../../../components/windows/step-result.ts";

const good = {
  step: "Confirm-Reboot",
  changed: true,
  rebootRequired: false,
  seconds: 1.2,
  facts: { installState: "Installed" },
};
const line = (change: object = {}): string => JSON.stringify({ ...good, ...change });
const parse = (stdout: string): unknown => parseStepResult("Confirm-Reboot", "win-1", stdout);

describe("results of steps", () => {
  for (const [what, stdout] of [
    ["alone", line()],
    ["with a line end of Windows", `${line()}\r\n`],
    ["after other lines", `some text\r\n{"half": \r\n${line()}\r\n`],
    ["with blank lines behind", `${line()}\n\n \n`],
  ] as const) {
    it(`are read from the last line, ${what}`, () => assert.deepEqual(parse(stdout), good));
  }

  const error = { code: "RebootNotDone", message: "Still up.", remedy: "Wait." };
  const without =
    /^Error: Confirm-Reboot on win-1 ended without a result: .* is nothing\. Log in to win-1/;
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ["nothing", "", without],
    ["text", "The term 'x' is not recognized", /'The term 'x' is not recognized'/],
    ["a number", "1", /ended without a result/],
    ["null", "null", /ended without a result/],
    ["an array", "[]", /ended without a result/],
    ["a result without facts", line({ facts: undefined }), /ended without a result/],
    ["a result with text for a flag", line({ changed: "true" }), /ended without a result/],
    ["a result with a field more", line({ extra: 1 }), /ended without a result/],
    ["a result that is not last", `${line()}\nbye`, /'bye'/],
    ["another step's result", line({ step: "Join-Node" }), /is one of Join-Node.*run again/],
    [
      "a failure",
      JSON.stringify({ step: "Confirm-Reboot", error }),
      /^Error: Confirm-Reboot on win-1 failed \(RebootNotDone\): Still up\. Wait\.$/,
    ],
  ];
  for (const [what, stdout, message] of wrong) {
    it(`are not made of ${what}`, () => assert.throws(() => parse(stdout), message));
  }

  it("keep an endless last line out of the error", () =>
    assert.throws(
      () => parse("x".repeat(100_000)),
      ({ message }: Error) => message.length < 500,
    ));

  it("give facts as text, and miss those that are not there", () => {
    assert.equal(textFact(good, "installState"), "Installed");
    assert.throws(() => textFact(good, "version"), /Confirm-Reboot reported no version/);
  });
});
