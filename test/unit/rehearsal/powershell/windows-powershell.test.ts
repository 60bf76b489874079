/**
 * Where Windows PowerShell 5.1 differs from 7: the interpreter does as 5.1 does, or refuses. What has no source beside it is
 * on https://learn.microsoft.com/powershell/scripting/whats-new/differences-from-windows-powershell.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toText } from "../../../../rehearsal/powershell/convert.ts";
import { newInterpreter } from "../../../../rehearsal/powershell/new-interpreter.ts";
import { types as coreTypes, Types } from "../../../../rehearsal/powershell/types.ts";
import { Unsupported } from "../../../../rehearsal/powershell/values.ts";
import { fileItems } from "../../../../rehearsal/windows/file-items.ts";
import { newFolder } from "../../new-folder.ts";
import { nodeHost } from "./node-machine.ts";

const folder = newFolder();

/** What the script writes, or its error, and its exit code. */
async function run(script: string, ...args: string[]): Promise<readonly [string, number]> {
  const written: string[] = [];
  const file = join(folder, "script.ps1");
  writeFileSync(file, script);
  const host = nodeHost({
    output: () => undefined,
    error: (text) => void written.push(text.trim()),
    input: () => Promise.resolve(Buffer.alloc(0)),
    folder,
  });
  const types = new Types(coreTypes);
  const interpreter = newInterpreter(host, {
    types,
    providers: () => fileItems(host.files, types),
  });
  const code = await interpreter.runFile(file, args, (value) => void written.push(toText(value)));
  return [written.join("\n"), code];
}

const script =
  '[CmdletBinding()] param([string] $Name, [switch] $Force, [int] $Count) "$Name|$Force|$Count"';

const bound: readonly (readonly [args: readonly string[], given: string])[] = [
  [["a"], "a|False|0"],
  [["-Name", "a", "-Force"], "a|True|0"],
  [["-Name:a:b"], "a:b|False|0"],
  [["-Name:", "a"], "a|False|0"],
  [["-Name", "$true"], "$true|False|0"],
  [["-Count", "5", "a"], "a|False|5"],
  [["-Count:5"], "|False|5"],
];

describe("powershell.exe -File, as 5.1 has it", () => {
  for (const [args, given] of bound) {
    it(`binds ${args.join(" ")}`, async () => {
      assert.deepEqual(await run(script, ...args), [given, 0]);
    });
  }

  for (const value of ["$false", "$true", "1", "False"]) {
    it(`refuses -Force:${value}, because a string suits no switch`, async () => {
      const [message, code] = await run(script, `-Force:${value}`);
      assert.match(message, /Cannot process argument transformation on parameter 'Force'/);
      assert.equal(code, 1);
    });
  }

  it("runs the script in the global scope", async () => {
    assert.deepEqual(await run('$v = 1; $script:w = 2; "$global:v $global:w"'), ["1 2", 0]);
  });

  it("runs a script that another one calls in a scope of its own", async () => {
    writeFileSync(join(folder, "called.ps1"), "$script:v = 1");
    const calls =
      "$ErrorActionPreference = 'Stop'; Set-StrictMode -Version Latest; & $PSScriptRoot/called.ps1; $global:v";
    const [message, code] = await run(calls);
    assert.match(message, /'\$global:v' cannot be retrieved/);
    assert.equal(code, 1);
  });

  for (const [way, text, given] of [
    ["break", "'a'; break; 'b'", "a"],
    ["continue", "function f { continue }; 'a'; f; 'b'", "a"],
    ["a return out of a value", "$r = foreach ($i in 1, 2) { $i; return 7 }; 'b'", "1\n7"],
  ] as const) {
    it(`ends at ${way} outside a loop, with what was output until then`, async () => {
      assert.deepEqual(await run(text), [given, 0]);
    });
  }
});

const selected = "Selected.System.Management.Automation.PSCustomObject";

/** What it gives; undefined if it is refused. */
const differences: readonly (readonly [script: string, given?: string])[] = [
  [
    "function f { [CmdletBinding()] param($A) $A }; $t = @{ A = 1 }; try { f @t -A 2 } catch { 'twice' }",
    "twice",
  ],
  ["function f { param($A, $B) $B }; $t = @{ A = 1; C = 2 }; f @t 'x'"],
  // https://learn.microsoft.com/powershell/scripting/whats-new/what-s-new-in-powershell-core-60
  ["'a'..'c'"],
  ['"`u{61}`e"', "u{61}e"],
  ["$null ?? 1"],
  ["$true ? 1 : 2"],
  ["1 && 2"],
  ["1u"],
  ["1n"],
  ["0b1"],
  ["0x"],
  ["1d"],
  ["$o = [pscustomobject]@{ a = 1 }; [string] $o.Count"],
  ["$o = [pscustomobject]@{ a = 1 }; [string] $o.Length"],
  // https://learn.microsoft.com/powershell/scripting/whats-new/breaking-changes-ps6 and the pages about 6.1 and 6.2
  ["Test-Path ''"],
  ["Start-Sleep -Seconds 0.5"],
  ["[uint] 1"],
  ["[ulong] 1"],
  ["[ushort] 1"],
  ["1, 2 | Sort-Object -Top 1"],
  ["1 | Where-Object -Not a"],
  ["$IsWindows"],
  // .../what-s-new-in-powershell-70, -71, -73, -74 and -76
  ["'a b c' -split ' ', -2"],
  ["1 | ForEach-Object -Parallel { 1 }"],
  ["'{}' | ConvertFrom-Json -AsHashtable"],
  ["1, 2 | ConvertTo-Json -AsArray"],
  ["wc 'a\"b'"],
  ["wc ''"],
  ["wc 'a b\\'"],
  ["cat x"],
  ["function ls { 1 }"],
  ["function f { 1; clean { 2 } }; try { f } catch { 'no command' }", "1\nno command"],
  ["1, 2, 3 | Select-Object -Skip 1 -SkipLast 1"],
  ["Get-Content -LiteralPath /dev/null -Tail -1"],
  ["Join-Path a b c"],
  ["try { throw [System.Exception]::new('') } catch { \"$_\" }"],
  ["'Food' -eq \"Foo`ad\"", "False"],
  ["Get-Item -LiteralPath 'a*b'"],
  ["'\u00e9' | wc"],
  ["$r = try { 'a' -match '*' } catch [ArgumentException] { 'argument' }; $r", "argument"],
  ["[string] -0.0"],
  ["[string] (1 / 3)"],
  ["9223372036854775808"],
  ["-9223372036854775809"],
  ["0x1FFFFFFFFFFFFFFFF"],
  ["1e400"],
  ["[double] '1e400'"],
  // https://learn.microsoft.com/dotnet/core/extensions/globalization-icu: 5.1 compares with NLS, 7 with ICU
  ["'Stra\u00dfe' -eq 'Strasse'"],
  ["'e\u0301' -eq '\u00e9'"],
  ["'a\u00adb' -in 'ab'"],
  ["'\u00e9' -eq '\u00c9'", "True"],
  ["'co-op' -lt 'coop'"],
  ["'a-b' -lt 'a-c'", "True"],
  ["'a-b' -lt 'ac'", "True"],
  ["'a_b' -lt 'a.b'"],
  ["'a_b' -lt 'ab'", "True"],
  ["('co-op', 'coop' | Sort-Object) -join ' '"],
  ["'a\u00adb'.StartsWith('ab')"],
  ["'Stra\u00dfe'.EndsWith('sse')"],
  ['"a`r`n".EndsWith("`n")'],
  ["'\u00e9 x'.EndsWith(' x')", "True"],
  // .../what-s-new-in-powershell-core-62: tables compare their keys by their codes
  ["@{ '\u00df' = 1 }.Count"],
  ["$t = @{}; $t['\u00e9'] = 1"],
  // .../what-s-new-in-powershell-core-62: Sort-Object -Stable, without which the order of what is equal is open
  ["(1..17 | Sort-Object { 1 })[0]"],
  ["(1..16 | Sort-Object { 1 })[0]", "1"],
  // .../what-s-new-in-powershell-71
  ["$o = [pscustomobject]@{ a = 1 } | Select-Object a; $o.PSObject.TypeNames[0]", selected],
  ["$o = [pscustomobject]@{ a = 1 } | Select-Object a | Select-Object a; $o.PSObject.TypeNames"],
  // .NET: their type implements IList in 7 only, and the elements of a list decide about its truth
  ["[bool] ([ordered] @{}).Keys"],
  ["[string] [bool] @{}.Keys", "True"],
  ["$?"],
  ["Get-Content -LiteralPath x -Encoding Byte"],
  ["function f { param([Parameter(ValueFromRemainingArguments)] $A) $A }; f 1 2"],
  ["Get-Item x 2>&1"],
];

describe("where 5.1 differs from 7", () => {
  for (const [text, given] of differences) {
    it(`${given === undefined ? "refuses" : "does as 5.1 does"}: ${text}`, async () => {
      if (given === undefined) {
        await assert.rejects(run(text), Unsupported);
      } else {
        assert.deepEqual(await run(text), [given, 0]);
      }
    });
  }

  it("reads a file without a mark in code page 1252", async () => {
    writeFileSync(join(folder, "text.txt"), "\u00e9");
    const [text] = await run(`Get-Content -LiteralPath '${join(folder, "text.txt")}'`);
    assert.equal(text, "\u00c3\u00a9");
  });

  for (const [bytes, what] of [
    [[0xfe, 0xff, 0, 0x41], "UTF-16 with the high byte first"],
    [[0xff, 0xfe, 0, 0, 0x41, 0, 0, 0], "UTF-32"],
    [[0xff, 0xfe, 0x41], "half of UTF-16"],
  ] as const) {
    it(`refuses a file in ${what}`, async () => {
      writeFileSync(join(folder, "text.txt"), Buffer.from(bytes));
      const read = `Get-Content -LiteralPath '${join(folder, "text.txt")}'`;
      await assert.rejects(run(read), Unsupported);
    });
  }
});
