/**
 * Functions of the scripts that make an image, each alone on the interpreter: what no model has, programs and some
 * cmdlets, is stood in for by other functions.
 */
import assert from "node:assert/strict";
import type { RehearsalHost } from "../../rehearsed-machine/in-process.ts";
import { runText } from "../rehearsal-host/step-runner.ts";
import { startWithSteps } from "../rehearsal-host/step-runner.ts";
import { functions, imageScripts } from "../windows/step-scripts.ts";

const known = new Map(imageScripts.flatMap((script) => [...functions(script)]));
/** Names and paths that the scripts' functions share. */
const shared = imageScripts.flatMap(({ text }) => text.match(/^\$\w+ = '.*'$/gm) ?? []);

/** Programs end with $Code, and tell how they were called. */
const standIns = `
$Code = 0
$Output = ''
function Write-SerialLine { param($Message) "COM1: $Message" | Out-Host }
function Invoke-NativeCommand {
    [CmdletBinding()] param($FilePath, $ArgumentList, $TimeoutSeconds, [int[]] $SuccessExitCodes = @(0), $Remedy)
    "$(Split-Path -Path $FilePath -Leaf) $ArgumentList" | Out-Host
    if ($SuccessExitCodes -notcontains $Code) {
        Stop-Step -Code 'CommandFailed' -Message "ended with $Code" -Remedy $Remedy
    }
    $Output
}
`;

const says = (output: string, code = 0): string =>
  `$Code = ${code}; $Output = '${output}'; ` +
  "Invoke-BakedStep -Script 'X.ps1' -Parameters ([pscustomobject]@{ A = 1 })";
const state = (value: string): string =>
  "if (-not (Test-Path -LiteralPath $WindowsStateKey)) { $null = New-Item -Path $WindowsStateKey -Force }; " +
  `Set-ItemProperty -LiteralPath $WindowsStateKey -Name ImageState -Value '${value}'; ` +
  "$null = New-Item -Path C:\\kindows\\state -ItemType Directory -Force; " +
  "Remove-Item -LiteralPath C:\\kindows\\state -Recurse -Force; ";
const isDue = "Test-FirstBootDue -TimeoutSeconds 0";
const file = (name: string): string => `Write-WholeText -Path $${name} -Text 'x'; `;
const override =
  "Set-SwitchOverride; if (Test-Path -LiteralPath $FeatureOverrideKey) " +
  "{ (Get-Item -LiteralPath $FeatureOverrideKey).GetValue('1114842764') } else { 'none' }";

/** What is run, of which functions, and what comes of it. */
const cases: readonly (readonly [name: string, taken: string, text: string, comes: RegExp])[] = [
  ...[0, 1641, 3010, 2359301, 2359302].map(
    (code) =>
      [
        `${code} of wusa is an update that is there`,
        "Install-ImageUpdate",
        `$Code = ${code}; Install-ImageUpdate -Package 'E:\\u.msu'`,
        /^wusa\.exe E:\\u\.msu \/quiet \/norestart\n$/,
      ] as const,
  ),
  [
    "5 of wusa is none",
    "Install-ImageUpdate",
    "$Code = 5; Install-ImageUpdate -Package 'E:\\u.msu'",
    /with 5/,
  ],
  [
    "guest tools that can't be installed are a warning",
    "Install-GuestTools",
    "$Code = 1603; Install-GuestTools -Installer 'E:\\t.exe'",
    /\nCOM1: warning: no guest tools: ended with 1603\n$/,
  ],
  [
    "a machine that can't hibernate needs no powercfg",
    "Set-PowerPlan",
    "$Code = 1; Set-PowerPlan",
    /^(powercfg\.exe \/\w+ .*\n){4}$/,
  ],
  ["what else powercfg says is an error", "Set-PowerPlan", "$Code = 2; Set-PowerPlan", /with 2/],
  ["2022 is kept from a change of its switch", "Set-SwitchOverride", override, /^0\n$/],
  [
    "2025 is not",
    "Set-SwitchOverride",
    "Remove-Item -LiteralPath $FeatureOverrideKey -Recurse -Force; " +
      "$version = 'HKLM:\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion'; " +
      `Set-ItemProperty -LiteralPath $version -Name CurrentBuildNumber -Value '26100'; ${override}`,
    /^none\n$/,
  ],
  [
    "a step may have no facts",
    "Invoke-BakedStep",
    says('{"rebootRequired":false,"facts":{}}'),
    /-A 1\nFalse\n$/,
  ],
  [
    "24 of a step is a reboot",
    "Invoke-BakedStep",
    says('{"error":{"code":"RebootPending"}}', 24),
    /\nTrue\n$/,
  ],
  [
    "a reboot that a step has ordered",
    "Invoke-BakedStep",
    says('{"rebootRequired":true}'),
    /\nTrue\n$/,
  ],
  [
    "a step that says nothing has failed",
    "Invoke-BakedStep",
    says(""),
    /X\.ps1 ended without a result/,
  ],
  [
    "sshd starts with Windows at once",
    "Enable-SshServer",
    "function Get-Service { 'sshd' }; function Set-ServiceRecovery { }; Enable-SshServer",
    /^sc\.exe config sshd start= auto\n$/,
  ],
  [
    "OpenSSH's own script asks nothing",
    "Install-SshServer",
    "function Get-Service { }; function Move-Item { }; function Expand-Archive { param($LiteralPath, $DestinationPath, $ErrorAction) " +
      "$null = New-Item -Path (Join-Path $DestinationPath 'OpenSSH-Win64') -ItemType Directory }; " +
      "Install-SshServer -Archive 'E:\\o.zip'",
    /-File C:\\Program Files\\OpenSSH\\install-sshd\.ps1 -Confirm:\$false\n$/,
  ],
  [
    "a disc without an identity is no medium",
    "Read-Identity",
    "try { Read-Identity -Path 'C:\\none\\user-data' } catch { $_.Exception.Data['StepCode'] }",
    /^MediumMissing\n$/,
  ],
  [
    "the first boot has a task too, for a Windows that skips SetupComplete.cmd",
    "Install-FirstBoot",
    "function Copy-Item { }; function Protect-Folder { param($Path) $null = New-Item -Path $Path -ItemType Directory -Force }; " +
      "function New-ScheduledTaskAction { param($Execute, $Argument, $ErrorAction) $Argument | Out-Host }; " +
      "function New-ScheduledTaskPrincipal { }; function New-ScheduledTaskTrigger { param([switch] $AtStartup) }; " +
      "function Register-ScheduledTask { param($TaskName) $TaskName | Out-Host }; " +
      "Install-FirstBoot -Source $PSScriptRoot",
    /^\/c powershell\.exe .* -AfterSetup 1 >>C:\\kindows\\state\\identity-task\.log 2>&1\nkindows-first-boot\n$/,
  ],
  [
    "which has its turn when setup has ended",
    "Test-FirstBootDue",
    state("IMAGE_STATE_COMPLETE") + isDue,
    /^True\n$/,
  ],
  ["not before", "Test-FirstBootDue", state("IMAGE_STATE_UNDEPLOYABLE") + isDue, /^False\n$/],
  [
    "not after SetupComplete.cmd",
    "Test-FirstBootDue",
    state("IMAGE_STATE_COMPLETE") + file("FirstBootLog") + isDue,
    /^False\n$/,
  ],
  [
    "and after the reboot that named the machine",
    "Test-FirstBootDue",
    state("IMAGE_STATE_COMPLETE") + file("FirstBootLog") + file("FirstBootMark") + isDue,
    /^True\n$/,
  ],
  [
    "a lock of SYSTEM's that is closed to an administrator is waited for",
    "",
    "$denied = New-Object -TypeName System.UnauthorizedAccessException -ArgumentList 'closed'; " +
      "$made = New-Object -TypeName System.Threading.Mutex -ArgumentList $false, 'Global\\kindows-step'; " +
      "$tries = @{ Left = 2 }; function New-Object { param($TypeName, $ArgumentList) " +
      "if ($tries.Left -gt 0) { $tries.Left--; throw $denied }; $made }; " +
      "(Enter-StepLock -TimeoutSeconds 240).ReleaseMutex(); $tries.Left",
    /^0\n$/,
  ],
];

describe("scripts that make an image, on the interpreter", () => {
  let host: RehearsalHost;
  before(async () => {
    host = await startWithSteps();
  });
  after(() => host.stop());

  for (const [name, taken, text, comes] of cases) {
    it(name, async () => {
      const parts = taken.split(" ").map((each) => known.get(each)?.text ?? "");
      const script = [...shared, standIns, ...parts, text].join("\n");
      const output = await runText(host, ["Step", "WholeFile", "ServiceState"], script).catch(
        String,
      );
      assert.match(output.replaceAll("\r\n", "\n"), comes);
    });
  }
});
