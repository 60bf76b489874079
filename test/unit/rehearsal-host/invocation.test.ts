import assert from "node:assert/strict";
import { InvocationError, parseInvocation } from "../../../rehearsal/host/powershell/invocation.ts";

const script = "C:\\steps\\A.ps1";

const accepted: readonly (readonly string[])[] = [
  ["-File", script, "-X", "1"],
  ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File", script, "-X", "1"],
  ["-nop", "-noni", "-ep", "bypass", "-f", script, "-X", "1"],
  ["/NoLogo", "-ex", "RemoteSigned", "-fi", script, "-X", "1"],
  ["-Version", "5.1", "-InputFormat", "Text", "-File", script, "-X", "1"],
];

const noPowerShell = /has no PowerShell and runs only the step scripts/;
const refused: readonly (readonly [args: readonly string[], message: RegExp, exitCode: number])[] =
  [
    [[], noPowerShell, 1],
    [["-Command", "Get-Service"], noPowerShell, 1],
    [["Get-Service"], noPowerShell, 1],
    [["-EncodedCommand", "AAAA"], noPowerShell, 1],
    [["-NoProfile", "-c", "exit 0"], noPowerShell, 1],
    [["-Nonsense", "-File", script], noPowerShell, 1],
    [["-File"], /requires a file path/, 1],
    [["-File", "C:\\x.txt"], /does not have a '\.ps1' extension/, 0xfffd0000],
    [["-ExecutionPolicy"], /requires an argument/, 1],
    [["-ExecutionPolicy", "Restricted", "-File", script], /not signed/, 1],
    [["-ExecutionPolicy", "Sometimes", "-File", script], /Cannot convert value "Sometimes"/, 1],
  ];

describe("powershell.exe", () => {
  for (const args of accepted) {
    it(`takes ${args.join(" ")}`, () => {
      assert.deepEqual(parseInvocation(args), { script, args: ["-X", "1"] });
    });
  }

  for (const [args, message, exitCode] of refused) {
    it(`refuses ${args.join(" ") || "no arguments"}`, () => {
      assert.throws(
        () => parseInvocation(args),
        (error) =>
          error instanceof InvocationError &&
          message.test(error.message) &&
          error.exitCode === exitCode,
      );
    });
  }
});
