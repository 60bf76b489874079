import type { Node } from "web-tree-sitter";
import { commandName, elementsOf, nodes, passedNames } from "./step-scripts.ts";

/**
 * What came after Windows PowerShell 5.1, the only PowerShell a fresh Windows Server has. Operators that came later
 * (`? :`, `??`, `?.`) are syntax errors to the parser, and found as such by script-rules.test.ts.
 *
 * Source: the "What's New" pages of PowerShell 6.0 to 7.5 and each cmdlet's reference page.
 */
const laterParameters: Readonly<Record<string, string>> = {
  "*": "ProgressAction",
  "ConvertFrom-Json": "AsHashtable Depth NoEnumerate DateKind",
  "ConvertTo-Json": "AsArray EnumsAsStrings EscapeHandling",
  "ForEach-Object": "Parallel ThrottleLimit TimeoutSeconds AsJob UseNewRunspace",
  "Get-ChildItem": "FollowSymlink",
  "Get-Command": "UseFuzzyMatching FuzzyMinimumDistance UseAbbreviationExpansion",
  "Get-Content": "AsByteStream",
  "Get-Random": "Shuffle",
  "Get-Unique": "CaseInsensitive",
  "Join-Path": "Extension",
  "New-Service": "SecurityDescriptorSddl",
  "Select-Object": "CaseInsensitive",
  "Select-String": "Raw NoEmphasis Culture",
  "Set-Content": "AsByteStream",
  "Set-Service": "SecurityDescriptorSddl Force",
  "Sort-Object": "Stable Top Bottom",
  "Split-Path": "LeafBase Extension",
  "Start-Process": "Environment",
  "Start-Sleep": "Duration",
  "Where-Object": "Not",
};

/** Cmdlets that 5.1 has not. */
const laterCmdlets = new Set(
  `ConvertFrom-CliXml ConvertFrom-Markdown ConvertTo-CliXml Enable-ExperimentalFeature
  Get-Error Get-ExperimentalFeature Get-MarkdownOption Get-SecureRandom Get-Uptime Join-String
  Remove-Alias Remove-Service Show-Markdown Switch-Process Test-Json`.split(/\s+/),
);

/** Members of .NET that the .NET Framework 4.8 of Windows Server 2022 has not, and values that 5.1 does not know. */
const later: readonly RegExp[] = [
  /\[(System\.)?Text\.Json\b/i,
  /\[(System\.)?Convert\]::(To|From)HexString/i,
  /\[(System\.)?IO\.Path\]::(Join|GetRelativePath|Exists|TrimEndingDirectorySeparator)\b/i,
  /\[(System\.)?IO\.File\]::(Move\([^,()]+,[^,()]+,|\w+Async\b|ResolveLinkTarget|CreateSymbolicLink)/i,
  /\[(System\.)?Environment\]::(ProcessPath|ProcessId|TickCount64)\b/i,
  /\[(System\.)?Math\]::(Clamp|Cbrt|Log2)\b/i,
  /\[(System\.)?(Random\]::Shared|Array\]::Fill|HashCode\]|Range\]|Index\])/i,
  /\[(System\.)?Security\.Cryptography\.\w+\]::HashData\b/i,
  /StringSplitOptions\]::TrimEntries/i,
  /\.Kill\(\s*\$true\s*\)/i,
  /\.ArgumentList\.Add\(/,
  /\.(WaitForExitAsync|WaitAsync|AppendJoin|ReplaceLineEndings)\(/i,
  /-Encoding\s+(utf8NoBOM|utf8BOM|ansi)\b/i,
  /\$(IsWindows|IsLinux|IsMacOS|IsCoreCLR|EnabledExperimentalFeatures|PSNativeCommand\w+)\b/i,
  /\bForEach-Object\s+-(Parallel|ThrottleLimit|AsJob)\b/i,
  // Binary numbers, and the suffixes of unsigned, signed byte and big ones.
  /(?<![\w$.-])(0b[01]+|[0-9]+(u|uy|us|ul|y|n))(?![\w.])/i,
];

/** Approved verbs of Windows PowerShell 5.1, as its Get-Verb lists them. */
export const approvedVerbs = new Set(
  `Add Approve Assert Backup Block Checkpoint Clear Close Compare Complete Compress Confirm Connect
  Convert ConvertFrom ConvertTo Copy Debug Deny Disable Disconnect Dismount Edit Enable Enter Exit
  Expand Export Find Format Get Grant Group Hide Import Initialize Install Invoke Join Limit Lock
  Measure Merge Mount Move New Open Optimize Out Ping Pop Protect Publish Push Read Receive Redo
  Register Remove Rename Repair Request Reset Resize Resolve Restart Restore Resume Revoke Save
  Search Select Send Set Show Skip Split Start Step Stop Submit Suspend Switch Sync Test Trace
  Unblock Undo Uninstall Unlock Unprotect Unpublish Unregister Update Use Wait Watch Write`.split(
    /\s+/,
  ),
);

/** A script's text without comments and strings. */
function codeOf(root: Node): string {
  let code = root.text;
  for (const { startIndex, endIndex } of ["comment", "string_literal"].flatMap((type) =>
    nodes(root, type),
  )) {
    const blank = " ".repeat(endIndex - startIndex);
    code = code.slice(0, startIndex) + blank + code.slice(endIndex);
  }
  return code;
}

/** What of a script Windows PowerShell 5.1 would not understand. */
export function tooNew(root: Node): string[] {
  const found: string[] = [];
  found.push(...nodes(root, "pipeline_chain_tail").map((node) => node.text));
  for (const command of nodes(root, "command")) {
    const name = commandName(command);
    if (laterCmdlets.has(name)) found.push(name);
    const newer = `${laterParameters["*"] ?? ""} ${laterParameters[name] ?? ""}`.split(" ");
    found.push(
      ...passedNames(command)
        .filter((parameter) => newer.includes(parameter))
        .map((parameter) => `${name} -${parameter}`),
    );
    const positional = elementsOf(command).filter(
      (child) => child.isNamed && !/^command_(argument_sep|parameter)$/.test(child.type),
    );
    if (name === "Join-Path" && positional.length > 2) found.push("Join-Path with three parts");
  }
  found.push(...later.flatMap((pattern) => pattern.exec(codeOf(root))?.[0] ?? []));
  return found;
}
