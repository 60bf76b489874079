import assert from "node:assert/strict";
import type { Node } from "web-tree-sitter";
import { stepParameters } from "../../../components/windows/step-parameters.ts";
import {
  functions,
  nodes,
  parsePowerShell,
  reachable,
  scripts,
  steps,
  withDotSourced,
  type StepScript,
} from "./step-scripts.ts";

/** Cmdlets of Windows PowerShell 5.1 and of Windows Server 2022's modules that scripts may use. */
const cmdlets = new Set(
  `Add-MpPreference Add-Type Clear-DnsClientCache ConvertFrom-Json ConvertTo-Json Copy-Item
  ForEach-Object Get-ChildItem Get-CimInstance Get-Command Get-Content Get-FileHash
  Get-HnsEndpoint Get-HnsNetwork Get-HnsPolicyList Get-Item Get-ItemProperty Get-MpPreference
  Get-NetFirewallRule Get-NetIPAddress Get-Process Get-Service Get-WinEvent Get-WindowsFeature
  Install-WindowsFeature Invoke-CimMethod Join-Path Move-Item New-Item New-ItemProperty
  New-NetFirewallRule New-Object New-ScheduledTaskAction New-ScheduledTaskPrincipal New-Service
  Out-String Register-ScheduledTask Remove-HnsEndpoint Remove-HnsNetwork Remove-Item
  Remove-ItemProperty Remove-MpPreference Remove-NetFirewallRule Select-Object Set-Date
  Set-ItemProperty Set-StrictMode Sort-Object Split-Path Start-ScheduledTask Start-Sleep Test-Path
  Unregister-ScheduledTask Where-Object`.split(/\s+/),
);

/** Approved verbs, see Get-Verb. */
const verbs = new Set(
  `Add Assert Confirm ConvertTo Copy Edit Enable Enter Exit Expand Export Get Hide Initialize Install
  Invoke Join Merge Move New Protect Read Register Remove Reset Restore Save Set Start Stop Sync
  Test Update Wait Write`.split(/\s+/),
);

const automaticVariables = [
  "_",
  "true",
  "false",
  "null",
  "matches",
  "psscriptroot",
  "psversiontable",
];

/** What breaks a rule in a script; empty where it is kept. */
type Rule = (script: StepScript) => string[];

const lines =
  (wrong: (line: string) => boolean): Rule =>
  ({ text }) =>
    text.split("\n").filter(wrong);

const rules: Record<string, Rule> = {
  "has no syntax error": ({ root }) => syntaxErrors(root),
  "is strict and stops at errors": ({ text }) =>
    ["Set-StrictMode -Version Latest", "$ErrorActionPreference = 'Stop'"].filter(
      (line) => !text.includes(`\n${line}\n`),
    ),
  "calls blocks it was given, and nothing else, by the call operator": ({ root }) =>
    nodes(root, "command")
      .filter((command) => command.children[0]?.type === "command_invokation_operator")
      .map((command) => command.text.trim())
      .filter((call) => !/^& \$(Body|Ready)$|^\. \(Join-Path \$PSScriptRoot /.test(call)),
  "knows no address without encryption": lines((line) => /http:/i.test(line)),
  "leaves standard input to the console: PowerShell swallows it for $input": lines((line) =>
    /\$input\b/i.test(line),
  ),
  "ignores errors only where the question is whether something is there": lines(
    (line) =>
      line.includes("SilentlyContinue") &&
      !/Get-Service|Get-NetFirewallRule|Get-Command|^\$ProgressPreference = /.test(line),
  ),
  "names functions by an approved verb and a noun": (script) =>
    [...functions(script).keys()].filter(
      (name) =>
        !/^[A-Z][A-Za-z]+-[A-Z][A-Za-z0-9]+$/.test(name) || !verbs.has(name.split("-")[0] ?? ""),
    ),
  "is plain ASCII: Windows PowerShell 5.1 reads anything else by the machine's code page": lines(
    (line) => /[^\x20-\x7e]/.test(line),
  ),
  "has lines of at most 120 characters, patterns aside": lines(
    (line) => line.length > 120 && !line.includes("[ValidatePattern("),
  ),
  "starts programs in lib/NativeCommand.ps1 only, which looks at the exit code": (script) =>
    script.file === "lib/NativeCommand.ps1"
      ? ["$SuccessExitCodes -notcontains $process.ExitCode"].filter(
          (need) => !script.text.includes(need),
        )
      : lines((line) => /Diagnostics\.Process\]|Start-Process/.test(line))(script),
};

/** Rules for a step together with all it dot-sources. */
const stepRules: Record<string, Rule> = {
  "calls functions it has dot-sourced and known cmdlets: no aliases, no programs, no Invoke-Expression":
    (step) => {
      const own = withDotSourced(step).flatMap((each) => [...functions(each).keys()]);
      const known = new Set([...cmdlets, ...own]);
      return reachable(step)
        .flatMap((node) => nodes(node, "command_name"))
        .map((name) => name.text)
        .filter((name) => !known.has(name));
    },
  "reads only variables that are set somewhere: strict mode stops at others": (step) => {
    const set = new Set([
      ...automaticVariables,
      ...withDotSourced(step).flatMap((each) => assignedVariables(each.root)),
    ]);
    return reachable(step)
      .flatMap((node) => nodes(node, "variable"))
      .map(variableName)
      .filter((name) => !set.has(name) && !name.startsWith("env:"));
  },
};

describe("step scripts", () => {
  for (const [rule, broken] of Object.entries(rules)) {
    it(`each ${rule}`, () => {
      assert.deepEqual(
        scripts.flatMap((script) => broken(script).map((what) => `${script.file}: ${what}`)),
        [],
      );
    });
  }

  for (const [rule, broken] of Object.entries(stepRules)) {
    it(`each step ${rule}`, () => {
      assert.deepEqual(
        steps.flatMap((step) => broken(step).map((what) => `${step.file}: ${what}`)),
        [],
      );
    });
  }

  it("are all there: the steps and their library", () => {
    assert.equal(steps.length, Object.keys(stepParameters).length);
    const used = new Set(steps.flatMap((step) => withDotSourced(step).map((each) => each.file)));
    assert.deepEqual([...used].toSorted(), scripts.map((script) => script.file).toSorted());
  });
});

describe("the rules for step scripts", () => {
  const script = (text: string): StepScript => ({
    file: "Bad.ps1",
    name: "Bad",
    isStep: true,
    text,
    root: parsePowerShell(text),
  });
  const all = { ...rules, ...stepRules };
  const bad: readonly (readonly [keyof typeof all, string])[] = [
    ["has no syntax error", "if ($true { }"],
    ["is strict and stops at errors", "\nSet-StrictMode -Version Latest\n"],
    [
      "calls blocks it was given, and nothing else, by the call operator",
      "& 'C:\\k\\kubeadm.exe' reset",
    ],
    ["knows no address without encryption", "$uri = 'http://example.com'"],
    [
      "leaves standard input to the console: PowerShell swallows it for $input",
      "$text = @($input)",
    ],
    [
      "ignores errors only where the question is whether something is there",
      "Remove-Item -Path x -ErrorAction SilentlyContinue",
    ],
    ["names functions by an approved verb and a noun", "function Fetch-It {\n}\n"],
    [
      "is plain ASCII: Windows PowerShell 5.1 reads anything else by the machine's code page",
      "# Gr\u00fc\u00dfe",
    ],
    ["has lines of at most 120 characters, patterns aside", `# ${"x".repeat(120)}`],
    [
      "starts programs in lib/NativeCommand.ps1 only, which looks at the exit code",
      "Start-Process -FilePath x",
    ],
    ...["sc.exe stop kubelet", "gci C:\\", "Invoke-Expression -Command $true", "Get-Nothing"].map(
      (text) =>
        [
          "calls functions it has dot-sourced and known cmdlets: no aliases, no programs, no Invoke-Expression",
          text,
        ] as const,
    ),
    ["reads only variables that are set somewhere: strict mode stops at others", "$a = $b"],
  ];

  for (const [rule, text] of bad) {
    it(`notice: ${text.trim().slice(0, 60)}`, () => {
      assert.notDeepEqual(all[rule]?.(script(text)), []);
    });
  }
});

function syntaxErrors(root: Node): string[] {
  const missing = (node: Node): Node[] => [
    ...(node.isMissing ? [node] : []),
    ...node.children.flatMap((child) => (child ? missing(child) : [])),
  ];
  return [...nodes(root, "ERROR"), ...missing(root)].map(
    (node) => `line ${node.startPosition.row + 1}: ${node.text.slice(0, 60)}`,
  );
}

function variableName(node: Node): string {
  return node.text.replace(/^[$@]\{?|\}$/g, "").toLowerCase();
}

function assignedVariables(root: Node): string[] {
  const targets = ["left_assignment_expression", "script_parameter"].flatMap((type) =>
    nodes(root, type).flatMap((node) => nodes(node, "variable")),
  );
  const loops = nodes(root, "foreach_statement").map((loop) =>
    loop.children.find((child) => child?.type === "variable"),
  );
  return [...targets, ...loops.filter((node) => !!node)].map(variableName);
}
