import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { readParamBlock } from "../../../rehearsal/host/powershell/param-block.ts";
import { PowerShellSyntaxError } from "../../../rehearsal/host/powershell/scanner.ts";
import { stepNames } from "../../../rehearsal/host/step-names.ts";

const steps = new URL("../../../components/windows/steps/", import.meta.url);

describe("param() blocks", () => {
  it("reads types, defaults and attributes past comments, strings and brackets", () => {
    const block = readParamBlock(`\uFEFF<# help: param( [string] $No ) #>
      #requires -Version 5.1
      using namespace System.IO
      [Diagnostics.CodeAnalysis.SuppressMessageAttribute('A', 'B')]
      [CmdletBinding(PositionalBinding = $false)]
      param(
        # [int] $Commented,
        [Parameter(Mandatory)] [ValidateSet('a,)', "b")] [Alias('Other')]
        [string] $First,
        [Parameter(Mandatory = $false, Position = 2)] [System.Int32] $Second = 0x10,
        [switch] $Third, <# , #>
        [string[]] $Fourth = @('x', "y)"),
        [AllowEmptyString()] $Fifth = 'it''s',
        [long] $Sixth = 2GB
      )
      Write-Output "param("`);
    assert.equal(block.cmdletBinding, true);
    assert.equal(block.positionalBinding, false);
    assert.deepEqual(
      block.parameters.map(({ name, type, mandatory, position, aliases, defaultLiteral }) => [
        name,
        type,
        mandatory,
        position,
        aliases,
        defaultLiteral,
      ]),
      [
        ["First", "string", true, undefined, ["Other"], undefined],
        ["Second", "int", false, 2, [], 16],
        ["Third", "switch", false, undefined, [], undefined],
        ["Fourth", "string[]", false, undefined, [], undefined],
        ["Fifth", "string", false, undefined, [], "it's"],
        ["Sixth", "long", false, undefined, [], 2 ** 31],
      ],
    );
    assert.equal(block.parameters[3]?.defaultSource, `@('x', "y)")`);
    assert.equal(block.parameters[4]?.allowsEmpty, true);
  });

  for (const source of ["", "# nothing", "Write-Output 'param(x)'", "function f { param($x) }"]) {
    it(`finds no parameters in ${JSON.stringify(source)}`, () => {
      assert.deepEqual(readParamBlock(source).parameters, []);
    });
  }

  it("takes a script for a simple one until an attribute says otherwise", () => {
    assert.equal(readParamBlock("param($A)").cmdletBinding, false);
    assert.equal(readParamBlock("param([Parameter()] $A)").cmdletBinding, true);
  });

  const unreadable: readonly (readonly [source: string, message: RegExp])[] = [
    ["param([string] $A", /no \)/],
    ["<# no end", /comment has no end/],
    ["param([string] $A = 'x)", /string has no end/],
    ["param([string]] $A)", /unexpected \]|can't read parameter/],
    ["param([uri] $A)", /type \[uri\] is not rehearsed/],
    ["param([ValidateScript({ $_ })] $A)", /can't read|not rehearsed/],
    ["param([ValidateCount(1, 2)] $A)", /\[ValidateCount\(1, 2\)\] is not rehearsed/],
    ["param([ValidateRange(1, $x)] $A)", /can't read '\$x'/],
    ["param([ValidateRange(1)] $A)", /can't read/],
    ["param(Name)", /can't read parameter/],
  ];
  for (const [source, message] of unreadable) {
    it(`refuses ${source}`, () => {
      assert.throws(
        () => readParamBlock(source),
        (error) => error instanceof PowerShellSyntaxError && message.test(error.message),
      );
    });
  }

  it("reads every step script", () => {
    const scripts = readdirSync(steps).filter((name) => name.endsWith(".ps1"));
    assert.deepEqual(scripts.sort(), stepNames.map((name) => `${name}.ps1`).sort());
    for (const script of scripts) {
      const source = readFileSync(new URL(script, steps), "utf8");
      const block = readParamBlock(source);
      assert.equal(block.cmdletBinding, true, script);
      const documented = [...source.matchAll(/^\.PARAMETER (\w+)/gm)].map((match) => match[1]);
      assert.deepEqual(
        block.parameters.map(({ name }) => name),
        documented,
        script,
      );
    }
  });
});
