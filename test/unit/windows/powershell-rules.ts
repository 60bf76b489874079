import type { Node } from "web-tree-sitter";
import {
  commandName,
  declaredParameters,
  elementsOf,
  enclosing,
  functions,
  nodes,
  passedNames,
  reachable,
  scripts,
  withDotSourced,
  type StepScript,
} from "./step-scripts.ts";

const words = (text: string): string[] => text.split(/\s+/);

/** Cmdlets of Windows PowerShell 5.1 and of Windows Server 2022's modules that scripts may use. */
const cmdlets = words(
  `Add-DnsClientNrptRule Add-MpPreference Add-Type Clear-DnsClientCache ConvertFrom-Json ConvertTo-Json Copy-Item
  ForEach-Object Get-ChildItem Get-CimInstance Get-Command Get-Content Get-DnsClientNrptRule Get-FileHash
  Get-HnsEndpoint Get-HnsNetwork Get-HnsPolicyList Get-Item Get-ItemProperty Get-MpPreference
  Get-NetFirewallRule Get-NetIPAddress Get-NetRoute Get-Process Get-Service Get-TimeZone Get-WinEvent
  Get-WindowsOptionalFeature Install-WindowsFeature Invoke-CimMethod Join-Path Move-Item New-Item New-ItemProperty
  New-NetFirewallRule New-NetRoute New-Object New-ScheduledTaskAction New-ScheduledTaskSettingsSet New-Service
  Register-ScheduledTask Remove-DnsClientNrptRule Remove-HnsEndpoint Remove-HnsNetwork Remove-Item
  Remove-ItemProperty Remove-MpPreference Remove-NetFirewallRule Remove-NetRoute Select-Object Set-Date
  Set-ItemProperty Set-StrictMode Set-TimeZone Sort-Object Split-Path Start-ScheduledTask Start-Sleep Test-Path
  Unregister-ScheduledTask Where-Object Write-VolumeCache`,
);

/**
 * Cmdlets that are functions of a module (CDXML or a script). They do not see a script's `$ErrorActionPreference`, and
 * continue after an error (PowerShell/PowerShell#4568, #24389).
 */
const moduleFunctions = words(
  `Add-DnsClientNrptRule Add-MpPreference Clear-DnsClientCache Disable-PnpDevice Expand-Archive
  Get-DnsClientNrptRule Get-FileHash Get-HnsEndpoint Get-HnsNetwork Get-HnsPolicyList Get-MpPreference
  Get-NetFirewallRule Get-NetIPAddress Get-NetRoute Get-Partition New-NetFirewallRule New-NetRoute
  New-ScheduledTaskAction New-ScheduledTaskSettingsSet New-ScheduledTaskTrigger Register-ScheduledTask
  Remove-DnsClientNrptRule Remove-HnsEndpoint Remove-HnsNetwork Remove-MpPreference Remove-NetFirewallRule
  Remove-NetRoute Remove-Partition Start-ScheduledTask Unregister-ScheduledTask Write-VolumeCache`,
);

/** Further cmdlets of the scripts for images and for Hyper-V. */
const furtherCmdlets = words(
  `Disable-PnpDevice Expand-Archive Get-AppxPackage Get-AppxProvisionedPackage Get-LocalUser Get-Partition New-ScheduledTaskTrigger
  Remove-AppxPackage Remove-Partition Rename-Computer Set-LocalUser Set-SConfig Set-Service
  Add-VMDvdDrive Get-VHD Get-VM Get-VMDvdDrive Get-VMHardDiskDrive Get-VMHost Get-VMNetworkAdapter Get-VMSwitch
  New-VHD New-VM Remove-VM Set-VM Set-VMDvdDrive Set-VMFirmware Set-VMNetworkAdapter Start-VM Stop-VM`,
);

const automaticVariables = words("_ true false null matches psscriptroot psversiontable");

/** Exit codes by kind of error, from the library. */
export const exitCodes: ReadonlyMap<string, string> = new Map(
  [
    ...(scripts.find((script) => script.file === "lib/Step.ps1")?.text ?? "").matchAll(
      /^ {4}(\w+)\s*= (\d+)$/gm,
    ),
  ].map(([, name = "", code = ""]) => [name, code]),
);

/** Errors of the frame, with which every step can end. */
const always = ["Unexpected", "StepBusy", "NotAdministrator", "DiskFull"];

/** Who may write files: the idea itself, secrets that live for one call, and who does not share the steps' library. */
const writesFiles = ["lib/WholeFile.ps1", "lib/ProtectedFile.ps1", "lib/LabMachine.ps1"];

const preferences = [
  "Set-StrictMode -Version Latest",
  "$ErrorActionPreference = 'Stop'",
  "$ProgressPreference = 'SilentlyContinue'",
];

const sourcesFrame = /^\. \(Join-Path \$PSScriptRoot 'lib\\Step\.ps1'\)$/m;

/** A rule for a script, with examples that break it. */
interface Rule {
  /** Violations in a script; empty if there are none. */
  readonly broken: (script: StepScript) => readonly string[];
  readonly bad: readonly string[];
}

function line(wrong: (line: string) => boolean): Rule["broken"] {
  return ({ text }) => text.split("\n").filter(wrong);
}

const newFolder = (path: string): string =>
  `$null = New-Item -Path ${path} -ItemType Directory -Force`;

/** Lines that make folders with the rights of the folder above, and why that is right. */
const inheritedFolders: Readonly<Record<string, string>> = {
  [newFolder("$Path")]: "Protect-Folder itself",
  [newFolder("$Folder")]: "Expand-TarArchive's, below a folder that is protected",
  [newFolder("$inside")]: "below C:\\etc\\kubernetes, which is protected",
  [newFolder("$folder")]: "Export-NodeLog's, below one that is protected",
  [newFolder('"$FirstBootFolder\\lib"')]: "below one that is protected",
  [newFolder("(Split-Path -Path $path)")]: "below C:\\Windows, and C:\\kindows\\state",
  [newFolder("'C:\\var\\lib\\kubelet'")]: "the accounts in containers write to volumes as users",
  "$null = New-Item -ItemType Directory -Path $Site -Force":
    "of a Hyper-V host, whose owner gives the folder above its rights",
};

/** Rules for every script, by what it does. */
export const rules: Readonly<Record<string, Rule>> = {
  "has no syntax error": {
    broken: ({ root }) => syntaxErrors(root),
    // The parser does not know the operators of later PowerShells.
    bad: [
      ...["if ($true { }", "$a = $b ? 1 : 2", "$a = $b ?? 2", "$a ??= 2"],
      ...["$a = ${b}?.Length", "$a = ${b}?[0]"],
    ],
  },
  "is strict, stops at errors, and shows no progress bars, which end in errors over SSH": {
    // The frame sets this in whatever sources it first; a part of the library is by what sources it.
    broken: ({ isStep, file, text }) =>
      (isStep && !sourcesFrame.test(text)) || file === "lib/Step.ps1"
        ? preferences.filter((each) => !text.includes(`\n${each}\n`))
        : [],
    bad: ["\nSet-StrictMode -Version Latest\n"],
  },
  "calls blocks it was given, and nothing else, by the call operator": {
    broken: ({ root }) =>
      nodes(root, "command")
        .filter((command) => command.children[0]?.type === "command_invokation_operator")
        .map((command) => command.text.trim())
        .filter((call) => !/^& \$(Body|Ready)$|^\. \(Join-Path \$PSScriptRoot /.test(call)),
    bad: ["& 'C:\\k\\kubeadm.exe' reset"],
  },
  "writes files whole or not at all, by lib/WholeFile.ps1": {
    broken: ({ file, text }) =>
      writesFiles.includes(file)
        ? []
        : (text.match(
            /\]::(Write|Append)All\w+|\b(Set|Add)-Content\b|\bOut-File\b|FileStream\b.*'(Create|Append|Open\w+|Truncate)/gi,
          ) ?? []),
    bad: [
      "[IO.File]::WriteAllText($path, $text)",
      ...["Set-Content -Path $path -Value $text", "$text | Out-File $path"],
      "$stream = New-Object -TypeName System.IO.FileStream -ArgumentList $path, 'Create'",
    ],
  },
  "reads a whole file by .NET: of an empty one Get-Content -Raw gives nothing at all, which operators take for an empty array":
    {
      broken: line((each) => /\bGet-Content\b.* -Raw\b/i.test(each)),
      bad: ["if ((Get-Content -LiteralPath $a -Raw) -notmatch 'x') { 1 }"],
    },
  "asks by a wildcard only where Test-Path has found something: below a missing folder it is an error":
    {
      broken: ({ root }) =>
        nodes(root, "command")
          .filter(
            (command) =>
              /^(Get|Remove)-(ChildItem|Item|ItemProperty|Content)$/.test(commandName(command)) &&
              passedNames(command).some((name) => name.toLowerCase() === "path"),
          )
          .filter((command) => !isBehindTestPath(command))
          .map(({ text }) => text),
      bad: ["Get-ChildItem -Path 'C:\\a\\b-*'", "if ($true) { Remove-Item -Path 'C:\\a\\*' }"],
    },
  "makes folders by Protect-Folder, so that users of the machine can put nothing into them": {
    broken: line(
      (each) =>
        /\bNew-Item\b.* Directory\b/i.test(each) && inheritedFolders[each.trim()] === undefined,
    ),
    bad: ["$null = New-Item -Path 'C:\\k' -ItemType Directory -Force"],
  },
  "knows no address without encryption": {
    // The lab's registry is on its own segment (Install-Containerd).
    broken: line((each) => /http:/i.test(each.replace("localhost:5001=http:", ""))),
    bad: ["$uri = 'http://example.com'"],
  },
  "leaves standard input to the console: PowerShell swallows it for $input": {
    broken: line((each) => /\$input\b/i.test(each)),
    bad: ["$text = @($input)"],
  },
  "ignores errors only where the question is whether something is there": {
    broken: line(
      (each) =>
        each.includes("SilentlyContinue") &&
        !/Get-Service|Get-NetFirewallRule|Get-NetRoute|Get-Command|\$(global:)?ProgressPreference = /.test(
          each,
        ),
    ),
    bad: ["Remove-Item -Path x -ErrorAction SilentlyContinue"],
  },
  "tells each function of Windows' modules what to do at an error: $ErrorActionPreference does not reach them":
    {
      broken: ({ root }) =>
        nodes(root, "command")
          .filter((command) => moduleFunctions.includes(commandName(command)))
          .map((command) => command.text)
          .filter((call) => !/ -ErrorAction /.test(call)),
      bad: ["Start-ScheduledTask -TaskName 'x'"],
    },
  "is plain ASCII: Windows PowerShell 5.1 reads anything else by the machine's code page": {
    broken: line((each) => /[^\x20-\x7e]/.test(each)),
    bad: ["# Gr\u00fc\u00dfe"],
  },
  "has lines of at most 120 characters, patterns aside": {
    broken: line((each) => each.length > 120 && !each.includes("[ValidatePattern(")),
    bad: [`# ${"x".repeat(120)}`],
  },
  "starts programs in lib/NativeCommand.ps1 only, which refuses exit codes not asked for": {
    broken: (script) => {
      if (script.file !== "lib/NativeCommand.ps1") {
        return line((each) => /Diagnostics\.Process\]|Start-Process/.test(each))(script);
      }
      const text = functions(script).get("Invoke-NativeCommand")?.text ?? "";
      return [
        /\[int\[\]\] \$SuccessExitCodes = @\(0\)/,
        /if \(\$SuccessExitCodes -notcontains \$process\.ExitCode\) \{\s+Stop-Step -Code \$FailureCode/,
      ].flatMap((need) => (need.test(text) ? [] : [String(need)]));
    },
    bad: ["Start-Process -FilePath x"],
  },
  "looks at what CIM methods return, and at no $LASTEXITCODE, which anything may have set": {
    broken: ({ root }) => ignoredResults(root),
    bad: [
      "Invoke-CimMethod -InputObject $a -MethodName Change",
      "$null = Invoke-CimMethod -InputObject $a -MethodName Change",
      "$answer = Invoke-CimMethod -InputObject $a -MethodName Change",
      ...["if ($LASTEXITCODE -ne 0) { 1 }", "if (-not $?) { 1 }"],
    ],
  },
  "passes its functions parameters that exist, and all that have no default": {
    broken: (script) => {
      const known = new Map(
        [...(script.pool ?? scripts), script].flatMap((each) => [...functions(each)]),
      );
      return nodes(script.root, "command").flatMap((call) => {
        const called = known.get(commandName(call));
        return called === undefined ? [] : wrongParameters(call, called);
      });
    },
    bad: [
      "function Get-It {\nparam([string] $Name)\n}\nGet-It -Other 1\n",
      "function Get-It {\nparam([string] $Name)\n}\nGet-It\n",
    ],
  },
};

/** Rules for a step together with all it dot-sources. */
export const stepRules: Readonly<Record<string, Rule>> = {
  "calls functions it has dot-sourced and known cmdlets: no aliases, no programs, no Invoke-Expression":
    {
      broken: (step) => {
        const known = new Set([
          ...cmdlets,
          ...(step.pool === undefined ? [] : furtherCmdlets),
          ...withDotSourced(step).flatMap((each) => [...functions(each).keys()]),
        ]);
        return reachable(step)
          .flatMap((node) => nodes(node, "command_name"))
          .map((name) => name.text)
          .filter((name) => !known.has(name));
      },
      bad: ["sc.exe stop kubelet", "gci C:\\", "Invoke-Expression -Command $true", "Get-Nothing"],
    },
  "gives no function a block that reads a variable which that function has too: it would read the function's":
    {
      broken: (step) => {
        // All functions, not only reachable ones, because a task calls some by a text.
        const parts = withDotSourced(step);
        const own = new Map(parts.flatMap((each) => [...functions(each)]));
        return parts
          .flatMap((each) => nodes(each.root, "command"))
          .flatMap((command) => shadowed(command, own));
      },
      bad: [
        "function Wait-It {\nparam([string] $Name, [scriptblock] $Ready)\n& $Ready\n}\nWait-It -Name 'a' -Ready { $Name }\n",
      ],
    },
  "reads only variables that are set somewhere: strict mode stops at others": {
    broken: (step) => {
      const set = new Set([
        ...automaticVariables,
        ...withDotSourced(step).flatMap((each) => assignedVariables(each.root)),
      ]);
      return reachable(step)
        .flatMap((node) => nodes(node, "variable"))
        .map(variableName)
        .filter((name) => !set.has(name) && !name.startsWith("env:"));
    },
    bad: ["$a = $b"],
  },
  "gives its own name to its result": {
    broken: ({ name, text }) =>
      new RegExp(`^Invoke-Step -Name '${name}'( -\\w+ \\S+)* -Body \\{$`, "m").test(text)
        ? []
        : [name],
    bad: ["Invoke-Step -Name 'Other' -Body {\n"],
  },
  "declares types and limits of all it takes": {
    broken: ({ text, root }) => [
      ...(/^\[CmdletBinding\(\)\]\nparam\(/m.test(text) ? [] : ["no param()"]),
      ...declaredParameters(root)
        .filter(
          ({ type, attributes }) =>
            !["string", "int"].includes(type) ||
            !attributes.some((attribute) => attribute.startsWith("[Validate")),
        )
        .map(({ name }) => name),
    ],
    bad: ["[CmdletBinding()]\nparam(\n[string] $Name\n)\n"],
  },
  "says what it does, what it takes with every default as declared, what it returns and how it fails":
    {
      broken: ({ text, root }) => {
        const help = text.slice(0, text.indexOf("#>") + 2);
        const sections = [...help.matchAll(/^\.(\w+)(?: (\w+))?\n(\S[\s\S]*?)(?=^\.|^#>)/gm)];
        const missing = ["SYNOPSIS", "OUTPUTS", "NOTES"].filter(
          (name) => !sections.some(([, section]) => section === name),
        );
        const parameters = sections.filter(([, section]) => section === "PARAMETER");
        const declared = declaredParameters(root).map(({ name, mandatory, defaultText }) => {
          const value = defaultText === "''" ? "empty" : defaultText?.replaceAll("'", "");
          return [name, `Default: ${mandatory ? "none, mandatory. Source: " : value}`] as const;
        });
        const wrong = declared.filter(([name, reported], index) => {
          const [, , parameter, paragraph = ""] = parameters[index] ?? [];
          return parameter !== name || !paragraph.replaceAll("\n", " ").includes(reported);
        });
        const more = parameters.slice(declared.length).map(([each]) => each);
        return [...missing, ...wrong.flat(), ...more];
      },
      bad: [
        "<#\n.SYNOPSIS\nX.\n.OUTPUTS\nX.\n#>\n",
        "<#\n.SYNOPSIS\nX.\n.OUTPUTS\nX.\n.NOTES\nX.\n#>\nparam(\n[string] $Name\n)\n",
      ],
    },
  "documents the exit codes it can end with, and no others": {
    broken: (step) => {
      const named = reachable(step)
        .flatMap((node) => nodes(node, "string_literal"))
        .map((literal) => literal.text.slice(1, -1))
        .filter((text) => exitCodes.has(text));
      // All failures in the parts of a reset become one error at its end.
      const reported = /Invoke-Cleanup/.test(step.text) ? ["ResetFailed"] : named;
      const expected = [...new Set([...always, ...reported])].map(
        (code) => `${exitCodes.get(code) ?? ""} ${code}`,
      );
      const notes =
        /^Exit codes: ([\s\S]*?)\n#>/m.exec(step.text)?.[1]?.replaceAll("\n", " ") ?? "";
      const documented = (notes.split(/\.(?: |$)/)[0] ?? "")
        .split("; ")
        .map((entry) => entry.replace(/ \(.*\)$/, ""));
      return difference(documented, ["0 done", "1 a parameter was rejected", ...expected]);
    },
    bad: ["<#\nExit codes: 0 done.\n#>\n"],
  },
};

/** Whether a condition around a command, or the list of a loop around it, asks Test-Path. */
function isBehindTestPath(command: Node): boolean {
  for (let node = command.parent; node; node = node.parent) {
    const isAsked = ["if_statement", "foreach_statement"].includes(node.type);
    const before = node.text.slice(0, command.startIndex - node.startIndex);
    if (isAsked && /\bTest-Path -Path /.test(before)) return true;
  }
  return false;
}

/** A call's unknown parameters, and the missing ones that have no default. */
function wrongParameters(call: Node, called: Node): string[] {
  const declared = declaredParameters(called);
  const passed = passedNames(call);
  return [
    ...passed.filter((each) => !declared.some(({ name }) => name === each)),
    ...declared
      .filter(({ name, defaultText }) => defaultText === undefined && !passed.includes(name))
      .map(({ name }) => `no ${name}`),
  ].map((what) => `line ${String(call.startPosition.row + 1)}: ${commandName(call)} ${what}`);
}

/** Calls that return failures as values, which are lost if the value is not used. */
function ignoredResults(root: Node): string[] {
  const ignored = nodes(root, "command")
    .filter((call) => commandName(call) === "Invoke-CimMethod")
    .filter((call) => {
      const assignment = enclosing(call, "assignment_expression");
      const variable = assignment && nodes(assignment, "variable")[0]?.text;
      const scope = enclosing(call, "function_statement") ?? root;
      return variable === undefined || !scope.text.includes(`${variable}.ReturnValue`);
    });
  // What PowerShell calls by itself sets this, and nothing reads it unless it is read at once: not used at all.
  const codes = nodes(root, "variable").filter(({ text }) => /^\$(LASTEXITCODE|\?)$/i.test(text));
  return [...ignored, ...codes].map(({ text }) => text);
}

function difference(one: readonly string[], other: readonly string[]): string[] {
  const more = (list: readonly string[], than: readonly string[]): string[] =>
    list.filter((each) => !than.includes(each));
  return [...more(one, other), ...more(other, one).map((each) => `lacks ${each}`)];
}

/** Variables of blocks in a call that are not the caller's when the function runs them: scopes are dynamic. */
function shadowed(command: Node, own: ReadonlyMap<string, Node>): string[] {
  const name = commandName(command);
  const called = own.get(name);
  if (called === undefined) return [];
  const local = new Set([
    ...declaredParameters(called).map((parameter) => parameter.name.toLowerCase()),
    ...assignedVariables(called),
  ]);
  return elementsOf(command)
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
