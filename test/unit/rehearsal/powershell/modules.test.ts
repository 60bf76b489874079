/** Modules of other people: their functions are there as they say, and refused only when they are called. */
import assert from "node:assert/strict";

import { hostFor, runFile } from "../machine/step-runner.ts";

const text = `
$word = 'of the module'
function Get-Word { "$word, $(Get-More)" }
function Get-More { 'and more' }
function Test-Both($path) { !(Test-Path $path) -and $true }
function Set-Both { Get-Item 'C:\\none' 2>$null }
function Use-Unknown { Get-Everything }
Export-ModuleMember -Function 'Get-W*'
Export-ModuleMember -Function 'Test-*'
Export-ModuleMember -Function 'Set-*', 'Use-*'
`;

describe("modules", () => {
  const machine = hostFor("each");

  /** What a script writes that imports the module, in the module's folder. */
  const run = async (script: string): Promise<string> => {
    await machine.windows.drive.write("C:\\own\\lib\\words.psm1", text);
    const lines = ["$word = 'of the script'", "ipmo $PSScriptRoot\\lib\\words.psm1 -Force", script];
    await machine.windows.drive.write("C:\\own\\use.ps1", lines.join("\n"));
    return runFile(machine, "C:\\own\\use.ps1");
  };

  it("have variables and functions of their own", async () => {
    assert.equal(await run("Get-Word; $word"), "of the module, and more\nof the script\n");
  });

  it("give what they export, and no more", async () => {
    assert.equal(await run("Test-Both 'C:\\none'"), "True\n");
    assert.match(await run("Get-More"), /'Get-More' is not recognized/);
  });

  for (const [call, what] of [
    ["Set-Both", "a redirection"],
    ["Use-Unknown", "the command Get-Everything"],
  ] as const) {
    it(`refuse ${what} when it is reached: ${call}`, async () => {
      await assert.rejects(run(`'before'; ${call}`), new RegExp(`does not support ${what}`));
    });
  }

  it("may use what they do not, as only a function that is called is refused", async () => {
    assert.equal(await run("if ($false) { Set-Both }; 'end'"), "end\n");
  });
});
