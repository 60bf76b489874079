import type { Node } from "web-tree-sitter";
import {
  declaredParameters,
  functions,
  nodes,
  reachable,
  withDotSourced,
  type StepScript,
} from "./step-scripts.ts";

/** Cmdlets of Windows PowerShell 5.1 and of Windows Server 2022's modules that scripts may use. */
const cmdlets = new Set(
  `Add-DnsClientNrptRule Add-MpPreference Add-Type Clear-DnsClientCache ConvertFrom-Json ConvertTo-Json Copy-Item
  ForEach-Object Get-ChildItem Get-CimInstance Get-Command Get-Content Get-DnsClientNrptRule Get-FileHash
  Get-HnsEndpoint Get-HnsNetwork Get-HnsPolicyList Get-Item Get-ItemProperty Get-MpPreference
  Get-NetFirewallRule Get-NetIPAddress Get-NetRoute Get-Process Get-Service Get-WinEvent Get-WindowsFeature
  Install-WindowsFeature Invoke-CimMethod Join-Path Move-Item New-Item New-ItemProperty
  New-NetFirewallRule New-NetRoute New-Object New-ScheduledTaskAction New-ScheduledTaskPrincipal New-Service
  Out-String Register-ScheduledTask Remove-DnsClientNrptRule Remove-HnsEndpoint Remove-HnsNetwork Remove-Item
  Remove-ItemProperty Remove-MpPreference Remove-NetFirewallRule Remove-NetRoute Select-Object Set-Date
  Set-ItemProperty Set-StrictMode Sort-Object Split-Path Start-ScheduledTask Start-Sleep Test-Path
  Unregister-ScheduledTask Where-Object Write-VolumeCache`.split(/\s+/),
);

/**
 * Those that are functions of a module (CDXML or a script): they don't see a script's `$ErrorActionPreference`, and go on
 * after an error (PowerShell/PowerShell#4568, #24389).
 */
const moduleFunctions = new Set(
  `Add-DnsClientNrptRule Add-MpPreference Clear-DnsClientCache Disable-PnpDevice Expand-Archive
  Get-DnsClientNrptRule Get-FileHash Get-HnsEndpoint Get-HnsNetwork Get-HnsPolicyList Get-MpPreference
  Get-NetFirewallRule Get-NetIPAddress Get-NetRoute Get-Partition New-NetFirewallRule New-NetRoute
  New-ScheduledTaskAction New-ScheduledTaskPrincipal New-ScheduledTaskTrigger Register-ScheduledTask
  Remove-DnsClientNrptRule Remove-HnsEndpoint Remove-HnsNetwork Remove-MpPreference Remove-NetFirewallRule
  Remove-NetRoute Remove-Partition Start-ScheduledTask Unregister-ScheduledTask Write-VolumeCache`.split(
    /\s+/,
  ),
);

/** What only the scripts that make an image use. */
const imageCmdlets = [
  "Disable-PnpDevice",
  "Expand-Archive",
  "Get-AppxPackage",
  "Get-LocalUser",
  "Get-Partition",
  "New-ScheduledTaskTrigger",
  "Remove-AppxPackage",
  "Remove-Partition",
  "Rename-Computer",
  "Set-LocalUser",
  "Set-SConfig",
  "Set-Service",
];

/** What only the scripts for a Hyper-V host use: the module of Hyper-V, whose cmdlets are all compiled. */
const hyperVCmdlets = [
  "Add-VMDvdDrive",
  "Get-VHD",
  "Get-VM",
  "Get-VMDvdDrive",
  "Get-VMHardDiskDrive",
  "Get-VMHost",
  "Get-VMNetworkAdapter",
  "Get-VMSwitch",
  "New-VHD",
  "New-VM",
  "Remove-VM",
  "Set-VM",
  "Set-VMDvdDrive",
  "Set-VMFirmware",
  "Set-VMNetworkAdapter",
  "Start-VM",
  "Stop-VM",
];

/** Approved verbs, see Get-Verb. */
const verbs = new Set(
  `Add Assert Confirm ConvertTo Copy Disable Edit Enable Enter Exit Expand Export Get Hide Initialize Install
  Invoke Join Merge Move New Protect Read Register Remove Reset Restore Save Set Start Stop Suspend Sync
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
export type Rule = (script: StepScript) => string[];

const lines =
  (wrong: (line: string) => boolean): Rule =>
  ({ text }) =>
    text.split("\n").filter(wrong);

/** Rules for a script by itself: what breaks one, by its name. */
export const rules: Record<string, Rule> = {
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
      !/Get-Service|Get-NetFirewallRule|Get-NetRoute|Get-Command|^\$ProgressPreference = /.test(
        line,
      ),
  ),
  "tells each function of Windows' modules what to do at an error: $ErrorActionPreference does not reach them":
    ({ root }) =>
      nodes(root, "command")
        .filter((command) => {
          const name = command.children.find((child) => child?.type === "command_name")?.text;
          return moduleFunctions.has(name ?? "") && !/ -ErrorAction /.test(command.text);
        })
        .map((command) => command.text),
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
export const stepRules: Record<string, Rule> = {
  "calls functions it has dot-sourced and known cmdlets: no aliases, no programs, no Invoke-Expression":
    (step) => {
      const own = withDotSourced(step).flatMap((each) => [...functions(each).keys()]);
      const known = new Set([
        ...cmdlets,
        ...(step.pool === undefined ? [] : [...imageCmdlets, ...hyperVCmdlets]),
        ...own,
      ]);
      return reachable(step)
        .flatMap((node) => nodes(node, "command_name"))
        .map((name) => name.text)
        .filter((name) => !known.has(name));
    },
  "gives no function a block that reads a variable which that function has too: it would read the function's":
    (step) => {
      // All of them, not only what is reachable: a task calls some by a text.
      const parts = withDotSourced(step);
      const own = new Map(parts.flatMap((each) => [...functions(each)]));
      return parts
        .flatMap((each) => nodes(each.root, "command"))
        .flatMap((command) => shadowed(command, own));
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

/** Variables of blocks in a call that are not the caller's when the function runs them: scopes are dynamic. */
function shadowed(command: Node, own: ReadonlyMap<string, Node>): string[] {
  const name = nodes(command, "command_name")[0]?.text ?? "";
  const called = own.get(name);
  if (called === undefined) return [];
  const local = new Set([
    ...declaredParameters(called).map((parameter) => parameter.name.toLowerCase()),
    ...assignedVariables(called),
  ]);
  const arguments_ = command.children.find((child) => child?.type === "command_elements")?.children;
  return (arguments_ ?? [])
    .filter((node) => node !== null)
    .flatMap((node) => nodes(node, "script_block_expression"))
    .flatMap((block) => {
      const assigned = new Set(assignedVariables(block));
      return nodes(block, "variable")
        .map(variableName)
        .filter((variable) => local.has(variable) && !assigned.has(variable))
        .filter((variable) => !automaticVariables.includes(variable));
    })
    .map((variable) => `$${variable} in what ${name} runs`);
}

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
