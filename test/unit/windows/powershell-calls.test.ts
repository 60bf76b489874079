/** Calls of powershell.exe are written in one file for each language, and nowhere else. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

import { eachCase } from "../each-case.ts";

/** Files that may write a call, and why. */
const writers: Readonly<Record<string, string>> = {
  "host/ssh/windows-command.ts": "commands over SSH and of Windows' setup",
  "components/windows/steps/lib/PowerShellCall.ps1": "calls on the machine",
  "components/kubeproxy/kube-proxy-objects.ts": "a container's command: text arguments by -File",
  "components/windows/steps/lib/Step.ps1": "an error that says what a process is called",
};

/** Who plays or reads calls, and does not make them: the rehearsal, the interpreter, and tests, on Windows too. */
const players = /^(rehearsal|powershell|test)\//;

const call = /powershell\.exe|\bpowershell +-|\bpwsh +-/i;

/** Lines with a call, without comments that only mention powershell.exe. */
function callsIn(text: string): string[] {
  return text.split("\n").filter((line) => call.test(line) && !/^\s*(\/\/|\*|\/\*|#)/.test(line));
}

describe("calls of powershell.exe", () => {
  const files = execFileSync("git", ["ls-files"], { encoding: "utf8" })
    .split("\n")
    .filter((file) => /\.(ts|js|ps1|go)$/.test(file) && existsSync(file));

  it("are in the files that may write them, and in no other", () => {
    const others = files
      .filter((file) => !players.test(file))
      .filter((file) => callsIn(readFileSync(file, "utf8")).length > 0);
    assert.deepEqual(others.sort(), Object.keys(writers).sort());
  });

  const bad = [
    "const command = `powershell.exe -File ${file} -Confirm:$false`;",
    '$null = Invoke-NativeCommand -FilePath "$env:SystemRoot\\powershell.exe"',
    'exec.Command("powershell.exe", "-Command", text)',
    "await run('PowerShell -Command Get-Service')",
  ];
  eachCase("are noticed: %s", Object.fromEntries(bad.map((each) => [each, each])), (line) =>
    assert.deepEqual(callsIn(line), [line]),
  );

  it("are not in -File what only -Command can pass: the value of a switch", () => {
    const broken = files
      .filter((file) => file.startsWith("components/"))
      .flatMap((file) => readFileSync(file, "utf8").match(/-File\b.*:\$(true|false).*/g) ?? []);
    assert.deepEqual(broken, []);
  });
});
