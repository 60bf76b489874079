import assert from "node:assert/strict";
import { tooNew } from "./powershell-5.ts";
import { checkPowerShell5 } from "./script-checks.ts";
import { parsePowerShell, scripts } from "./step-scripts.ts";

describe("step scripts in Windows PowerShell 5.1", () => {
  checkPowerShell5(scripts);

  const newer = [
    "Test-Path a && Test-Path b",
    "Test-Path a || Test-Path b",
    "$a = 10u",
    "$a = 0b11",
    "ConvertFrom-Json -InputObject $a -AsHashtable",
    "ForEach-Object -Parallel { 1 }",
    "Get-Content -LiteralPath $a -AsByteStream",
    "Remove-Service -Name kubelet",
    "Join-Path $a 'b' 'c'",
    "Start-Sleep -Duration 5",
    "Split-Path -LeafBase $a",
    "[IO.File]::Move($a, $b, $true)",
    "$process.Kill($true)",
    "$start.ArgumentList.Add('x')",
    "$x = [Text.Json.JsonSerializer]::Serialize($a)",
    "$x = $IsWindows",
  ];
  for (const text of newer) {
    it(`would be noticed to have: ${text}`, () => {
      assert.notDeepEqual(tooNew(parsePowerShell(`${text}\n`)), []);
    });
  }

  const syntax = [
    "$a = $b ? 1 : 2",
    "$a = $b ?? 2",
    "$a ??= 2",
    "$a = ${b}?.Length",
    "$a = ${b}?[0]",
  ];
  for (const text of syntax) {
    it(`would not even parse: ${text}`, () => {
      assert.ok(parsePowerShell(`${text}\n`).hasError);
    });
  }

  const fine = [
    "Join-Path $a 'b'",
    "[IO.File]::Move($a, $b)",
    "$a = 10kb + 0x1f",
    "$a = '? : ?? && ||' # 10u",
  ];
  for (const text of fine) {
    it(`may well have: ${text}`, () => {
      assert.deepEqual(tooNew(parsePowerShell(`${text}\n`)), []);
    });
  }
});
