/**
 * The scripts that make an image: rules about their text; then functions of them, each alone on the interpreter, where
 * what no model has, programs and some cmdlets, is stood in for by other functions; then whole scripts, with others in
 * place of all the functions of their libraries.
 */
import assert from "node:assert/strict";
import { userData } from "../../../../components/machine/identity.ts";
import { firstScript, sealedPasswordMark } from "../../../../images/windows/answer-file.ts";
import { guestAgentFile } from "../../../../images/windows/drivers.ts";
import { openSshFolder } from "../../../../images/windows/examine-media.ts";
import {
  newImageSecrets,
  sshFiles as filesOfSsh,
  updateFile,
} from "../../../../images/windows/image-disc.ts";
import { imageScripts as discScripts } from "../../../../images/windows/scripts-folder.ts";
import { eachCase } from "../../each-case.ts";
import type { RehearsedMachine } from "../../../rehearsed-machine/in-process.ts";
import { hostFor, runFile, runText } from "../../rehearsal/machine/step-runner.ts";
import {
  functions,
  imageScripts,
  nodes,
  parsePowerShell,
  type StepScript,
  scripts as library,
  withDotSourced,
} from "../../windows/step-scripts.ts";

const steps = imageScripts.filter((script) => script.isStep);
const textOf = (file: string): string =>
  imageScripts.find((script) => script.file === file)?.text ?? assert.fail(`there is no ${file}`);

describe("scripts that make an image", () => {
  it("have no library the nodes' steps have, and use all of their own", () => {
    const onDisc = discScripts();
    assert.ok(onDisc.has("Initialize-Image.ps1") && onDisc.has("lib/Step.ps1"));
    const others = new Set(library.map(({ file }) => file));
    assert.deepEqual(
      imageScripts.filter(({ file }) => others.has(file)),
      [],
    );
    const used = new Set(steps.flatMap((step) => withDotSourced(step).map((each) => each.file)));
    const wrong = imageScripts.map(({ file }) => file).filter((file) => !used.has(file));
    assert.deepEqual(wrong, []);
  });

  it("take from the CD what is put there, by the same names", () => {
    assert.ok(steps.some((step) => step.file === firstScript));
    assert.match(textOf(firstScript), new RegExp(`media\\\\${guestAgentFile}'`));
    assert.match(textOf(firstScript), new RegExp(`media\\\\${openSshFolder}\\.zip'`));
    assert.match(textOf(firstScript), new RegExp(`media\\\\${updateFile}'`));
    const [, names = ""] = /\$names = (.*)/.exec(textOf("lib/SshServer.ps1")) ?? [];
    const found = [...names.matchAll(/'([^']+)'/g)].map((match) => match[1]);
    assert.deepEqual(found, Object.keys(filesOfSsh(newImageSecrets())));
    assert.ok(textOf("lib/Sealing.ps1").includes(`'${sealedPasswordMark}'`));
  });

  it("reboot a machine when Windows' setup, which starts them, has ended: not within it", () => {
    const [, seconds] =
      /Start-Reboot -DelaySeconds ([0-9]+)/.exec(textOf("Set-MachineIdentity.ps1")) ?? [];
    assert.ok(Number(seconds) >= 30, seconds);
  });

  it("write no password and no key where it could be read", () => {
    const secrets = imageScripts.flatMap((script) =>
      nodes(script.root, "command")
        .map((command) => command.text)
        .filter((command) =>
          /^(Write-StepProgress|Write-SerialLine|Stop-Step|Invoke-NativeCommand)/.test(command),
        )
        .filter((command) =>
          /New-RandomPassword|\$secret|\$encoded|\$text\b|\$document|HostKey\b|AuthorizedKeys/.test(
            command,
          ),
        ),
    );
    assert.deepEqual(secrets, []);
  });
});

/** Names and paths that the scripts' functions share. */
const shared = imageScripts.flatMap(({ text }) => text.match(/^\$\w+ = ('.*'|\d+)$/gm) ?? []);

/** A text behind the scripts' functions that it calls, directly or not, but for those that it has in their place. */
function withFunctions(text: string): string {
  const called = imageScripts
    .flatMap((script) => [...functions(script)])
    .find(
      ([name]) => new RegExp(`\\b${name}\\b`).test(text) && !text.includes(`function ${name} {`),
    );
  return called === undefined ? text : withFunctions(`${called[1].text}\n${text}`);
}

/** Programs end with $Code, and tell how they were called. A script's frame tells how it ended. */
const standIns = `
$Code = 0
$Output = ''
function Write-SerialLine { param($Message) "COM1: $Message" | Out-Host }
function Invoke-NativeCommand {
    [CmdletBinding()] param($FilePath, $ArgumentList, $TimeoutSeconds, [int[]] $SuccessExitCodes = @(0), $StandardInput, $Remedy)
    "$(Split-Path -Path $FilePath -Leaf) $ArgumentList$StandardInput" | Out-Host
    if ($SuccessExitCodes -notcontains $Code) {
        Stop-Step -Code 'CommandFailed' -Message "ended with $Code" -Remedy $Remedy
    }
    $Output
}
function Invoke-Step {
    param([string] $Name, [bool] $Alone, [scriptblock] $Body)
    try {
        $result = & $Body
        "reboot: $($result.RebootRequired), $(ConvertTo-Json -InputObject $result.Facts -Compress)" | Out-Host
    }
    catch {
        "$($_.Exception.Data['StepCode']): $($_.Exception.Message)" | Out-Host
    }
}
`;

/** A function that says how it was called, then does what `then` says. */
const standIn = (name: string, parameters: readonly string[], then = ""): string =>
  `function ${name} { param(${parameters.map((each) => `$${each}`).join(", ")}) ` +
  `"${[name, ...parameters.map((each) => `$${each}`)].join(" ")}" | Out-Host; ${then} }; `;

/** A script on a disc of its own. */
interface Whole {
  readonly script: string;
  /** What functions of its libraries do, after they have said their names. */
  readonly then?: Readonly<Record<string, string>>;
  /** Files beside it. */
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** What of its libraries stays itself. */
const kept = ["New-StepResult", "Stop-Step", "Write-SerialFailure"];
const standInFrame = functions({ root: parsePowerShell(standIns) });

/** A library in which each function only says its name, then does what `then` has for it. */
function standInLibrary(library: StepScript, then: Whole["then"] = {}): string {
  return [...functions(library)].reduce((text, [name, node]) => {
    if (kept.includes(name)) return text;
    const parameters = nodes(node, "param_block")[0]?.text ?? "";
    const body = `${parameters}\n'${name}' | Out-Host\n${then[name] ?? ""}`;
    return text.replace(
      node.text,
      () => standInFrame.get(name)?.text ?? `function ${name} {\n${body}\n}`,
    );
  }, library.text);
}

/** Runs it. @returns its console output */
async function runWhole(
  machine: RehearsedMachine,
  disc: string,
  { script, then, files, args }: Whole,
): Promise<string> {
  const step = imageScripts.find(({ name }) => name === script) ?? assert.fail(script);
  const libraries = withDotSourced(step).filter((each) => each !== step);
  const texts = libraries.map((each) => [each.file, standInLibrary(each, then)] as const);
  const all = [[step.file, step.text] as const, ...texts, ...Object.entries(files ?? {})];
  for (const [name, text] of all) {
    await machine.windows.drive.write(`${disc}\\${name.replaceAll("/", "\\")}`, text);
  }
  return runFile(machine, `${disc}\\${step.file}`, args);
}

/** The code and the message of the error that a call ends with. */
const failureOf = (call: string): string =>
  `try { ${call} } catch { "$($_.Exception.Data['StepCode']): $($_.Exception.Message)" }`;

const lines = (...all: readonly string[]): string => all.map((each) => `${each}\n`).join("");

const baked = "Invoke-BakedStep -Script 'X.ps1' -Parameters ";
const says = (output: string, code = 0): string =>
  `$Code = ${code}; $Output = '${output}'; ${baked}([pscustomobject]@{ A = 1 })`;
const state = (value: string): string =>
  "if (-not (Test-Path -LiteralPath $WindowsStateKey)) { $null = New-Item -Path $WindowsStateKey -Force }; " +
  `Set-ItemProperty -LiteralPath $WindowsStateKey -Name ImageState -Value '${value}'; ` +
  "$null = New-Item -Path C:\\kindows\\state -ItemType Directory -Force; " +
  "Remove-Item -LiteralPath C:\\kindows\\state -Recurse -Force; ";
const isDue = "Test-FirstBootDue -TimeoutSeconds 0";
const file = (name: string): string => `Write-WholeText -Path $${name} -Text 'x'; `;
const override = (build: number, name: string): string =>
  "if (Test-Path -LiteralPath $SwitchOverrideKey) { Remove-Item -LiteralPath $SwitchOverrideKey -Recurse -Force }; " +
  `Test-SwitchOverride -Build ${build}; Set-SwitchOverride -Build ${build}; Test-SwitchOverride -Build ${build}; ` +
  `if (Test-Path -LiteralPath $SwitchOverrideKey) { (Get-Item -LiteralPath $SwitchOverrideKey).GetValue('${name}') }`;
const value = (path: string, name: string): string =>
  `(Get-Item -LiteralPath 'HKLM:\\SYSTEM\\CurrentControlSet\\Control${path}').GetValue('${name}')`;
const driversOnDisc = ["NetKVM\\NetKVM.inf", "NetKVM\\NetKVM.sys", "Balloon\\Balloon.inf"]
  .map((name) => `Write-WholeText -Path C:\\disc\\${name} -Text 'x'`)
  .join("; ");
const installsSsh = (registers: string): string =>
  `function Get-Service { param($Name, $ErrorAction) ${registers} }; function Move-Item { }; ` +
  "function Stop-ServiceIfPresent { }; function Expand-Archive { param($LiteralPath, $DestinationPath, $ErrorAction) " +
  "$null = New-Item -Path (Join-Path $DestinationPath 'OpenSSH-Win64') -ItemType Directory -Force }; " +
  failureOf("Install-SshServer -Archive 'E:\\o.zip'");

/** What is run, and what comes of it. */
type Cases = Readonly<Record<string, readonly [text: string, comes: RegExp | string]>>;

/** A case for each value. */
const casesOf = <T, Run>(
  values: readonly T[],
  of: (value: T) => readonly [name: string, run: Run, comes: RegExp | string],
): Readonly<Record<string, readonly [run: Run, comes: RegExp | string]>> =>
  Object.fromEntries(values.map(of).map(([name, ...run]) => [name, run] as const));

const cases: Cases = {
  ...casesOf([0, 1641, 3010, 2359301, 2359302], (code) => [
    `${code} of wusa is an update that is there`,
    `$Code = ${code}; Install-ImageUpdate -Package 'E:\\u.msu'`,
    /^wusa\.exe E:\\u\.msu \/quiet \/norestart\n$/,
  ]),
  "5 of wusa is none": ["$Code = 5; Install-ImageUpdate -Package 'E:\\u.msu'", /with 5/],
  ...casesOf([0, 1641, 3010], (code) => [
    `${code} of msiexec is a guest agent that is there`,
    `$Code = ${code}; Install-GuestAgent -Package 'E:\\a.msi'`,
    /^msiexec\.exe \/i E:\\a\.msi \/qn \/norestart \/l\*v C:\\kindows\\state\\guest-agent\.log\n$/,
  ]),
  "a guest agent that can't be installed is a warning": [
    "$Code = 1603; Install-GuestAgent -Package 'E:\\a.msi'",
    /\nCOM1: warning: no guest agent: ended with 1603\n$/,
  ],
  ...casesOf([0, 259, 3010], (code) => [
    `${code} of pnputil is a driver that is there`,
    `$Code = ${code}; ${driversOnDisc}; Install-VirtioDriver -Folder C:\\disc`,
    lines(
      ...["Balloon", "NetKVM"].map(
        (name) => `pnputil.exe /add-driver C:\\disc\\${name}\\${name}.inf /install`,
      ),
    ),
  ]),
  "a driver that can't be installed is a warning, and the next is tried": [
    `$Code = 5; ${driversOnDisc}; Install-VirtioDriver -Folder C:\\disc`,
    /Balloon\.inf \/install\nCOM1: warning: no driver Balloon\.inf: ended with 5\npnputil.*NetKVM\.inf \/install\nCOM1: warning: no driver NetKVM\.inf: ended with 5\n$/,
  ],
  "a machine that can't hibernate needs no powercfg": [
    "$Code = 1; Set-PowerPlan",
    /^(powercfg\.exe \/\w+ .*\n){4}$/,
  ],
  "what else powercfg says is an error": ["$Code = 2; Set-PowerPlan", /with 2/],
  // The numbers of image-builder's systemprep (kubernetes-sigs/image-builder at ae63061).
  "2022 is kept from a change of its switch": [
    override(20348, "1114842764"),
    lines("False", "True", "0"),
  ],
  "2025 gets a change of its switch": [override(26100, "520997518"), lines("False", "True", "1")],
  "another Windows needs neither": [override(25398, "520997518"), lines("True", "True")],
  "Windows does not wait in its recovery after power cuts": [
    "Stop-AutomaticRepair",
    lines(
      "bcdedit.exe /set {default} recoveryenabled No",
      "bcdedit.exe /set {default} bootstatuspolicy IgnoreAllFailures",
    ),
  ],
  "the machine's clock is UTC": [
    `$null = New-Item -Path 'HKLM:\\SYSTEM\\CurrentControlSet\\Control\\TimeZoneInformation' -Force; Set-UtcClock; ${value("\\TimeZoneInformation", "RealTimeIsUniversal")}`,
    "1\n",
  ],
  "services have three minutes to start": [
    `Set-ServiceStartLimit; ${value("", "ServicesPipeTimeout")}`,
    "180000\n",
  ],
  "a step may have no facts": [says('{"rebootRequired":false,"facts":{}}'), /-A 1\nFalse\n$/],
  "24 of a step is a reboot": [says('{"error":{"code":"RebootPending"}}', 24), /\nTrue\n$/],
  "a reboot that a step has ordered": [says('{"rebootRequired":true}'), /\nTrue\n$/],
  "a step that says nothing has failed": [says(""), /X\.ps1 ended without a result/],
  "a step gets all its parameters, an empty one too": [
    `$Output = '{"rebootRequired":false}'; ${baked}([pscustomobject]@{ Version = '2.3'; Mirrors = ''; Exclusions = 1 })`,
    /-File X\.ps1 -Version 2\.3 -Mirrors {2}-Exclusions 1\nFalse\n$/,
  ],
  "a step gets what it reads, on standard input": [
    `${says('{"rebootRequired":false}')} -StandardInput '{"a":["b"]}'`,
    /-A 1\{"a":\["b"\]\}\nFalse\n$/,
  ],
  "what a step warns of is said on the serial port": [
    says('{"rebootRequired":false,"facts":{"warning":"no registry"}}'),
    /\nCOM1: warning: no registry\nFalse\n$/,
  ],
  "an empty warning is none": [
    says('{"rebootRequired":false,"facts":{"warning":""}}'),
    /-A 1\nFalse\n$/,
  ],
  "sshd starts with Windows at once": [
    "function Get-Service { 'sshd' }; function Set-ServiceRecovery { }; Enable-SshServer",
    /^sc\.exe config sshd start= auto\n$/,
  ],
  // A switch's value is only one in a line of PowerShell: Windows PowerShell 5.1's -File passes the text "$false".
  "OpenSSH's own script asks nothing": [
    installsSsh("$Name"),
    /^powershell\.exe .* -Command \$global:ErrorActionPreference = 'Stop'; .*; & 'C:\\Program Files\\OpenSSH\\install-sshd\.ps1' -Confirm:\$false; exit 0\n$/,
  ],
  "what OpenSSH's own script has not registered is missed": [
    installsSsh("if ($Name -eq 'sshd') { $Name }"),
    /\nServiceNotRunning: install-sshd\.ps1 registered no service ssh-agent\.\n$/,
  ],
  "a sealed image's sshd starts cmd.exe": [
    "$key = 'HKLM:\\SOFTWARE\\OpenSSH'; Reset-SshShell; $null = New-Item -Path $key -Force; " +
      "Set-ItemProperty -LiteralPath $key -Name DefaultShell -Value 'powershell.exe'; " +
      "Reset-SshShell; Reset-SshShell; $null -eq (Get-Item -LiteralPath $key).GetValue('DefaultShell')",
    "True\n",
  ],
  "a disc without an identity is no medium": [
    "try { Read-Identity -Path 'C:\\none\\user-data' } catch { $_.Exception.Data['StepCode'] }",
    /^MediumMissing\n$/,
  ],
  "the first boot has a task too, for a Windows that skips SetupComplete.cmd": [
    "function Copy-Item { }; function Protect-Folder { param($Path) $null = New-Item -Path $Path -ItemType Directory -Force }; " +
      "function New-ScheduledTaskAction { param($Execute, $Argument, $ErrorAction) $Argument | Out-Host }; " +
      "function New-TaskSetting { 'urgent' }; function New-ScheduledTaskTrigger { param([switch] $AtStartup, $ErrorAction) }; " +
      'function Register-ScheduledTask { param($TaskName, $Action, $Trigger, $Settings, $User, $RunLevel, [switch] $Force, $ErrorAction) "$TaskName $Settings $User" | Out-Host }; ' +
      "Install-FirstBoot -Source $PSScriptRoot",
    /^\/c C:\\\S+\\powershell\.exe .* -File C:\\kindows\\image\\Set-MachineIdentity\.ps1 -AfterSetup 1 >>C:\\kindows\\state\\identity-task\.log 2>&1\nkindows-first-boot urgent SYSTEM\n$/,
  ],
  "which has its turn when setup has ended": [state("IMAGE_STATE_COMPLETE") + isDue, /^True\n$/],
  "not before": [state("IMAGE_STATE_UNDEPLOYABLE") + isDue, /^False\n$/],
  "not after SetupComplete.cmd": [
    state("IMAGE_STATE_COMPLETE") + file("FirstBootLog") + isDue,
    /^False\n$/,
  ],
  "and after the reboot that named the machine": [
    state("IMAGE_STATE_COMPLETE") + file("FirstBootLog") + file("FirstBootMark") + isDue,
    /^True\n$/,
  ],
  "a lock of SYSTEM's that is closed to an administrator is waited for": [
    "$denied = New-Object -TypeName System.UnauthorizedAccessException -ArgumentList 'closed'; " +
      "$made = New-Object -TypeName System.Threading.Mutex -ArgumentList $false, 'Global\\kindows-step'; " +
      "$tries = @{ Left = 2 }; function New-Object { param($TypeName, $ArgumentList) " +
      "if ($tries.Left -gt 0) { $tries.Left--; throw $denied }; $made }; " +
      "(Enter-StepLock -TimeoutSeconds 240).ReleaseMutex(); $tries.Left",
    /^0\n$/,
  ],
};

const userDataFile = "$file = 'C:\\user-data'; ";
const written = userData({
  computerName: "win-7",
  hostPrivateKey:
    "-----BEGIN OPENSSH PRIVATE KEY-----\nhidden\n-----END OPENSSH PRIVATE KEY-----\n",
  hostPublicKey: "ssh-ed25519 AAAA win-7",
  authorizedKeys: ["ssh-ed25519 BBBB somebody"],
});
const document = JSON.parse(written.replace("#cloud-config\n", "")) as {
  readonly ssh_keys: { readonly ed25519_private: string };
};
/** Reads the identity from a disc with this text. */
const reading = (text: string, read: string): string =>
  `${userDataFile}Write-WholeText -Path $file -Text '${text}'; ${read}`;
const read = failureOf("$null = Read-Identity -Path $file");
const discs = (...found: readonly string[]): string =>
  `function Get-CimInstance { param($ClassName) ${found.join("; ")} }; `;
const disc = (drive: string, name: string): string =>
  `[pscustomobject]@{ Drive = '${drive}'; VolumeName = '${name}'; PNPDeviceID = 'SCSI\\CDROM' }`;
const nameKey = "HKLM:\\SYSTEM\\CurrentControlSet\\Control\\ComputerName\\ComputerName";

/** How a machine made from the image becomes the one it shall be, at its first boot. */
const identity: Cases = {
  "the identity's disc is found by its name, not by its letter": [
    `${discs(disc("D:", ""), disc("E:", "cidata"))}(Get-IdentityDisc -TimeoutSeconds 1).Drive`,
    "E:\n",
  ],
  "it is waited for": [
    `$seen = @{ Times = 0 }; ${discs(`$seen.Times++; if ($seen.Times -gt 2) { ${disc("E:", "cidata")} }`)}` +
      "(Get-IdentityDisc -TimeoutSeconds 60).Drive",
    "E:\n",
  ],
  "where it is not there, the drives are named": [
    discs(disc("D:", "SSS_X64")) + failureOf("Get-IdentityDisc -TimeoutSeconds 0"),
    /^MediumMissing: .*: D: 'SSS_X64'\.\n$/,
  ],
  "an identity is read as components/machine/identity.ts writes it": [
    reading(
      written,
      '$read = Read-Identity -Path $file; "$($read.ComputerName) $($read.HostPublicKey)"; $read.AuthorizedKeys; $read.HostKey',
    ),
    `win-7 ssh-ed25519 AAAA win-7\nssh-ed25519 BBBB somebody\n${document.ssh_keys.ed25519_private}\n`,
  ],
  ...casesOf(["#cloud-config\nhostname: hidden", '{"hidden": true}', ""], (text) => [
    `${JSON.stringify(text)} is no identity, and is not repeated`,
    reading(text, read),
    /^ConfigurationUnknown: (?!.*hidden)/,
  ]),
  ...casesOf(
    [
      ["hostname", { hostname: "a-name-of-16-char" }],
      ["hostname", { hostname: "" }],
      ["ed25519_private", { ssh_keys: { ...document.ssh_keys, ed25519_private: "x" } }],
      ["ed25519_public", { ssh_keys: { ...document.ssh_keys, ed25519_public: "y" } }],
      ["ssh_authorized_keys", { ssh_authorized_keys: [] }],
    ] as const,
    ([field, change]) => [
      `${JSON.stringify(change)} makes no identity: ${field}`,
      reading(JSON.stringify({ ...document, ...change }), read),
      new RegExp(`^ConfigurationUnknown: (?!.*hidden).*usable (ssh_keys\\.)?${field}\\.\n$`),
    ],
  ),
  "the disc is taken away": [
    standIn("Disable-PnpDevice", ["InstanceId", "Confirm", "ErrorAction"]) +
      `Disable-IdentityDisc -Disc (${disc("E:", "cidata")})`,
    "Disable-PnpDevice SCSI\\CDROM False Stop\n",
  ],
  "a disc that stays is a warning": [
    standIn(
      "Disable-PnpDevice",
      ["InstanceId", "Confirm", "ErrorAction"],
      "throw 'Generic failure'",
    ) + `Disable-IdentityDisc -Disc (${disc("E:", "cidata")})`,
    /\nCOM1: warning: the identity disc stays readable: Generic failure\n$/,
  ],
  "a machine that has its name is left alone; another gets it with a reboot, which a second run asks for again":
    [
      `function Rename-Computer { param($NewName, [switch] $Force) $NewName; Set-ItemProperty -LiteralPath '${nameKey}' -Name ComputerName -Value $NewName }; ` +
        "Set-MachineName -Name 'WIN-1'; Set-MachineName -Name 'win-2'; Set-MachineName -Name 'win-2'; " +
        `Set-ItemProperty -LiteralPath '${nameKey}' -Name ComputerName -Value 'win-1'`,
      lines("False", "win-2", "True", "True"),
    ],
  "the script of the first boot is not started a third time": [
    `${state("IMAGE_STATE_COMPLETE")}Suspend-FirstBoot; ${failureOf("Suspend-FirstBoot")}`,
    /^CommandFailed: After a reboot the computer still does not have the name/,
  ],
  "it goes with all that starts it, and may be gone": [
    state("IMAGE_STATE_COMPLETE") +
      "$paths = $FirstBootMark, $SetupCompletePath, $FirstBootFolder; foreach ($path in $paths) { if (-not (Test-Path -LiteralPath $path)) { Write-WholeText -Path $path -Text 'x' } }; " +
      standIn("Unregister-ScheduledTask", ["TaskName", "Confirm", "ErrorAction"]) +
      "Remove-FirstBoot; Remove-FirstBoot; foreach ($path in $paths) { Test-Path -LiteralPath $path }",
    lines(
      ...Array<string>(2).fill("Unregister-ScheduledTask kindows-first-boot False Continue"),
      ...Array<string>(3).fill("False"),
    ),
  ],
};

const sysprep = (state: string): string =>
  `$SysprepErrorLog = 'C:\\setuperr.log'; Write-WholeText -Path $SysprepErrorLog -Text 'Package Edge'; ${state}` +
  standIn("Unregister-ScheduledTask", ["TaskName", "Confirm", "ErrorAction"]);
const runsSysprep = lines(
  "Unregister-ScheduledTask kindows-seal False Stop",
  "Sysprep.exe /oobe /generalize /mode:vm /shutdown /quiet /unattend:C:\\Windows\\System32\\Sysprep\\unattend.xml",
);
const partitions = (...types: readonly string[]): string =>
  "function Get-Partition { param($ErrorAction) " +
  types
    .map(
      (type, index) => `[pscustomobject]@{ DiskNumber = 0; PartitionNumber = ${index}; ${type} }`,
    )
    .join("; ") +
  " }; " +
  standIn("Remove-Partition", ["DiskNumber", "PartitionNumber", "Confirm", "ErrorAction"]);
const drive = "GptType = '{ebd0a0a2-b9e5-4433-87c0-68b6b72699c7}'; MbrType = $null";
/** Packages as Get-AppxPackage lists them: the first two are Administrator's alone. */
const listed = [
  "Microsoft.MicrosoftEdge.Stable",
  "MicrosoftCorporationII.WinAppRuntime.Main.1.5",
  "Microsoft.WindowsTerminal",
  "Microsoft.UI.Xaml.2.8 framework",
  "Microsoft.AAD.BrokerPlugin nonremovable",
  "Microsoft.Windows.Search system",
];
const packages = (then = ""): string =>
  "function Get-AppxProvisionedPackage { param([switch] $Online) [pscustomobject]@{ DisplayName = 'Microsoft.WindowsTerminal' } }; " +
  `function Get-AppxPackage { param([switch] $AllUsers) foreach ($each in '${listed.join("', '")}') { $name = ($each -split ' ')[0]; ` +
  "[pscustomobject]@{ Name = $name; PackageFullName = \"${name}_1.0\"; IsFramework = $each -match ' framework'; " +
  "NonRemovable = $each -match ' nonremovable'; SignatureKind = $(if ($each -match ' system') { 'System' } else { 'Store' }) } } }; " +
  `function Remove-AppxPackage { param([switch] $AllUsers, $Package) "$AllUsers $Package" | Out-Host; ${then} }; `;

/** What of one machine must not be in an image, and the task that ends the work. */
const sealing: Cases = {
  "answer files go, as far as they are there": [
    "$AnswerFilePaths = 'C:\\unattend.xml', 'C:\\none.xml'; Write-WholeText -Path C:\\unattend.xml -Text 'x'; " +
      "Remove-AnswerFile; Test-Path -LiteralPath C:\\unattend.xml",
    "False\n",
  ],
  "a task that outlives the session seals": [
    `${standIn("Start-DetachedTask", ["Name", "Line", "Account"], "$Account.Name | Out-Host")}Start-Sealing -DelaySeconds 5 -Administrator @{ Name = 'root'; Password = 'hidden' }`,
    /^Start-DetachedTask kindows-seal .*Sealing\.ps1'; Invoke-Sysprep -DelaySeconds 5 System\.Collections\.Hashtable\nroot\n$/,
  ],
  // Microsoft does not support sysprep as SYSTEM.
  "that task is Administrator's, whose password is no program's argument": [
    "function New-ScheduledTaskAction { param($Execute, $Argument, $ErrorAction) $Argument | Out-Host }; " +
      "function New-TaskSetting { }; function Write-DriveCache { 'flush' | Out-Host }; " +
      'function Register-ScheduledTask { param($TaskName, $Action, $Settings, $User, $Password, $RunLevel, [switch] $Force, $ErrorAction) "$TaskName $User $Password $RunLevel" | Out-Host }; ' +
      "function Start-ScheduledTask { param($TaskName, $ErrorAction) 'start' | Out-Host }; " +
      "Start-DetachedTask -Name 'seal' -Line 'Seal' -Account @{ Name = 'root'; Password = 'hidden' }",
    /^flush\n-NoProfile .* -Command "\$global:(?!.*hidden).*; Seal"\nseal root hidden Highest\nstart\n$/,
  ],
  "sysprep that generalizes is all": [
    `${sysprep(state("IMAGE_STATE_GENERALIZE_RESEAL_TO_OOBE"))}Invoke-Sysprep -DelaySeconds 1`,
    runsSysprep,
  ],
  "why it did not is said on the serial port": [
    `${sysprep(state("IMAGE_STATE_COMPLETE"))}Invoke-Sysprep -DelaySeconds 1`,
    `${runsSysprep}COM1: failed: sysprep ended without generalizing (IMAGE_STATE_COMPLETE): Package Edge Solve what sysprep names, then build the image again.\n`,
  ],
  "and that it failed": [
    `${sysprep("")}$Code = 1; Invoke-Sysprep -DelaySeconds 1`,
    /\nCOM1: failed: ended with 1 Solve what sysprep names/,
  ],
  "a failure without a remedy is one line too": [
    'try { throw "No`r`nidea." } catch { Write-SerialFailure -Exception $_.Exception }',
    "COM1: failed: No idea.\n",
  ],
  "a disk without a recovery partition is left alone": [
    `${partitions(drive)}Remove-RecoveryPartition`,
    "",
  ],
  ...casesOf(
    [
      "GptType = '{de94bba4-06d1-4d40-a16a-bfd50179d6ac}'; MbrType = $null",
      "GptType = $null; MbrType = 39",
    ],
    (type) => [
      `a recovery partition goes once nothing recovers from it: ${type}`,
      `${partitions(drive, type)}Remove-RecoveryPartition`,
      lines("reagentc.exe /disable", "Remove-Partition 0 1 False Stop"),
    ],
  ),
  "packages go that only one user has, and no others": [
    `${packages()}Remove-UserPackage`,
    lines(
      "True Microsoft.MicrosoftEdge.Stable_1.0",
      "True MicrosoftCorporationII.WinAppRuntime.Main.1.5_1.0",
    ),
  ],
  "packages that cannot be listed are a warning": [
    `${packages()}function Get-AppxProvisionedPackage { param([switch] $Online) throw 'No DISM.' }; Remove-UserPackage`,
    "COM1: warning: app packages cannot be listed: No DISM.\n",
  ],
  "a Windows may know no packages": [
    `${packages("throw 'There are none.'")}function Get-Command { param($Name, $ErrorAction) }; Remove-UserPackage`,
    "",
  ],
  "a package that stays is a warning": [
    `${packages("throw 'In use.'")}Remove-UserPackage`,
    lines(
      ...listed
        .slice(0, 2)
        .flatMap((name) => [
          `True ${name}_1.0`,
          `COM1: warning: the package ${name} stays: In use.`,
        ]),
    ),
  ],
};

const protecting =
  standIn("Protect-Folder", ["Path"], "$null = New-Item -Path $Path -ItemType Directory -Force") +
  standIn("Write-ProtectedFile", ["Path", "Text"]);
const sshFolder = "C:\\ProgramData\\ssh";
const sshFiles = [
  "ssh_host_ed25519_key",
  "ssh_host_ed25519_key.pub",
  "administrators_authorized_keys",
  "sshd_config",
];
const sshWith = (folder: string): string =>
  `foreach ($name in ${sshFiles.map((each) => `'${each}'`).join(", ")}) ` +
  `{ Write-WholeText -Path (Join-Path '${folder}' $name) -Text $name }; `;

/** An image's SSH server, and settings of Windows. */
const ssh: Cases = {
  "keys and settings of SSH are the CD's": [
    `${protecting}${sshWith("C:\\")}Set-SshServer -Folder C:\\`,
    lines(
      `Protect-Folder ${sshFolder}`,
      ...sshFiles.map((each) => `Write-ProtectedFile ${sshFolder}\\${each} ${each}`),
    ),
  ],
  "a machine's own keys are closed to others": [
    `${protecting}Set-SshIdentity -HostKey "pem\`n" -HostPublicKey 'ssh-ed25519 A' -AuthorizedKeys 'ssh-ed25519 B', 'ssh-ed25519 C'`,
    [
      `Protect-Folder ${sshFolder}\nWrite-ProtectedFile ${sshFolder}\\ssh_host_ed25519_key pem\n\n`,
      `Write-ProtectedFile ${sshFolder}\\ssh_host_ed25519_key.pub ssh-ed25519 A\n\n`,
      `Write-ProtectedFile ${sshFolder}\\administrators_authorized_keys ssh-ed25519 B\nssh-ed25519 C\n\n`,
    ].join(""),
  ],
  "the port of SSH is opened once, in every profile": [
    "Add-SshFirewallRule; Add-SshFirewallRule; $rule = Get-NetFirewallRule -Name kindows-sshd; $rule.Name",
    "kindows-sshd\n",
  ],
  "a Windows without sshd is refused": [
    `function Get-Service { }; ${failureOf("Enable-SshServer")}`,
    /^ServiceNotRunning: This Windows has no service sshd/,
  ],
  "sshd starts anew": [
    `${standIn("Stop-ServiceInTime", ["Name"])}${standIn("Start-ServiceInTime", ["Name", "TimeoutSeconds", "LogPath"])}Start-SshServer`,
    lines("Stop-ServiceInTime sshd", `Start-ServiceInTime sshd 120 ${sshFolder}\\logs\\sshd.log`),
  ],
  "a sealed image's sshd does not start, and WinRM never": [
    `${standIn("Stop-ServiceInTime", ["Name"])}${standIn("Set-Service", ["Name", "StartupType"])}Disable-SshServer; Stop-RemoteManagement`,
    lines("Set-Service sshd Disabled", "Stop-ServiceInTime WinRM", "Set-Service WinRM Disabled"),
  ],
  "keys of SSH go, and nothing else": [
    `$null = New-Item -Path '${sshFolder}' -ItemType Directory -Force; ${sshWith(sshFolder)}Remove-SshKey; (Get-ChildItem -LiteralPath '${sshFolder}' -File).Name`,
    "sshd_config\n",
  ],
  "the menu of a Windows without a desktop does not start": [
    `Stop-ConsoleMenu; ${standIn("Set-SConfig", ["AutoLaunch"])}Stop-ConsoleMenu`,
    "Set-SConfig False\n",
  ],
  "nobody is logged on by itself any more, and the password goes, once": [
    "if (-not (Test-Path -LiteralPath $WinlogonKey)) { $null = New-Item -Path $WinlogonKey -Force }; " +
      "Set-ItemProperty -LiteralPath $WinlogonKey -Name DefaultPassword -Value 'x'; Stop-AutomaticLogon; Stop-AutomaticLogon; " +
      "$key = Get-Item -LiteralPath $WinlogonKey; $key.GetValue('AutoAdminLogon'); $null -eq $key.GetValue('DefaultPassword')",
    lines("0", "True"),
  ],
  "an image's build is two numbers": [
    '$found = Get-ImageBuild; "$($found.Build).$($found.Revision)"',
    /^\d{5}\.4405\n$/,
  ],
};

const fails = (code: string): string =>
  `Stop-Step -Code '${code}' -Message 'It hangs.' -Remedy 'Do it.'`;
const atTheDisc = [
  ...["COM1: set up, taking its identity", "Get-IdentityDisc", "Read-Identity", "Set-MachineName"],
];
const identified = {
  "Get-IdentityDisc": "[pscustomobject]@{ Drive = 'E:' }",
  "Read-Identity":
    "[pscustomobject]@{ ComputerName = 'win-7'; HostKey = 'k'; HostPublicKey = 'p'; AuthorizedKeys = @('a') }",
  "Set-MachineName": "$false",
};
const prepared = [
  ...["COM1: installed, preparing the image", "Protect-Folder"],
  ...["Disable-AutomaticUpdate", "Set-PowerPlan"],
  ...["Stop-ConsoleMenu", "Stop-AutomaticLogon", "Stop-AutomaticRepair", "Set-UtcClock"],
  ...["Set-ServiceStartLimit", "Set-SwitchOverride"],
  ...[
    "COM1: installing the drivers and the guest agent",
    "Install-VirtioDriver",
    "Install-GuestAgent",
  ],
  ...["COM1: installing OpenSSH", "Test-Service"],
];
const onTheDisc = (...names: readonly string[]): Whole["files"] =>
  Object.fromEntries(names.map((name) => [`media/${name}`, "x"]));
const openSsh = ["Set-SshServer", "Add-SshFirewallRule", "Enable-SshServer"];
const build = (found: string, waits = ""): Whole => {
  const [number, revision] = found.split(".");
  return {
    script: "Confirm-ImageBuild",
    args: ["-MinimumBuild", "20348", "-MinimumRevision", "2762"],
    then: {
      "Get-PendingRebootReason": waits,
      "Get-ImageBuild": `[pscustomobject]@{ Build = ${number}; Revision = ${revision} }`,
    },
  };
};
const looked = ["Get-PendingRebootReason", "Get-ImageBuild"];
const plan = ["One", "Two"].map((step) => ({ step, parameters: {}, input: "" }));
const baking = (then: Whole["then"]): Whole => ({
  script: "Invoke-Bake",
  then,
  files: { "bake.json": JSON.stringify({ steps: plan }) },
});
const seals = (then: Whole["then"] = {}): Whole => ({
  script: "Complete-Image",
  then,
  args: ["-SealedAnswerFile", "E:\\sealed.xml"],
});

/** Whole scripts: what they call, in which order, and what they say. */
const wholes: Readonly<Record<string, readonly [whole: Whole, comes: RegExp | string]>> = {
  "Initialize-Image takes Windows' own OpenSSH, and opens the machine last": [
    { script: "Initialize-Image" },
    new RegExp(
      `^${lines(...prepared, ...openSsh, "Start-SshServer", "COM1: initialized")}reboot: False, \\{"build":20348,"openSsh":"windows"\\}\n$`,
    ),
  ],
  "Initialize-Image takes the CD's OpenSSH, and opens the machine only after the reboot of an update":
    [
      { script: "Initialize-Image", files: onTheDisc("OpenSSH-Win64.zip", "update.msu") },
      new RegExp(
        `^${lines(...prepared, "Install-SshServer", ...openSsh, "COM1: installing the update", "Install-ImageUpdate", "COM1: updated, rebooting", "Start-Reboot")}reboot: True, .*"openSsh":"archive"\\}\n$`,
      ),
    ],
  "Initialize-Image takes Windows' own OpenSSH where both are there": [
    {
      script: "Initialize-Image",
      files: onTheDisc("OpenSSH-Win64.zip"),
      then: { "Test-Service": "$true" },
    },
    /\nTest-Service\nSet-SshServer\n[^]*"openSsh":"windows"\}\n$/,
  ],
  "Initialize-Image does not reboot after an update that failed": [
    {
      script: "Initialize-Image",
      files: onTheDisc("update.msu"),
      then: { "Install-ImageUpdate": fails("CommandFailed") },
    },
    /\nInstall-ImageUpdate\nCOM1: failed: It hangs\. Do it\.\nCommandFailed: It hangs\.\n$/,
  ],
  "Initialize-Image says what failed": [
    { script: "Initialize-Image", then: { "Set-PowerPlan": "throw 'No plan.'" } },
    /\nSet-PowerPlan\nCOM1: failed: No plan\.\n: No plan\.\n$/,
  ],
  ...casesOf(["20348.2762", "20348.5139", "26100.1742"], (found) => [
    `Confirm-ImageBuild takes ${found}`,
    build(found),
    `${lines(...looked, `COM1: build ${found}`)}reboot: False, {"build":${found.replace(".", ',"revision":')}}\n`,
  ]),
  ...casesOf(["20348.2761", "17763.9999"], (found) => [
    `Confirm-ImageBuild refuses ${found}`,
    build(found),
    `${lines(...looked)}HostUnsuitable: The image has Windows ${found}, and a node needs 20348.2762 or newer.\n`,
  ]),
  "Confirm-ImageBuild reboots first where Windows waits for it": [
    build("20348.587", "'Component Based Servicing'"),
    /^Get-PendingRebootReason\nCOM1: rebooting for Component Based Servicing\nStart-Reboot\nRebootNotDone: /,
  ],
  "Invoke-Bake runs all steps in their order, and takes away what they installed from": [
    baking({ "Invoke-BakedStep": "$false" }),
    `${lines("Copy-Program", "COM1: baking: One", "Invoke-BakedStep", "COM1: baking: Two", "Invoke-BakedStep", "Remove-Program")}reboot: False, {"steps":2}\n`,
  ],
  "Invoke-Bake stops at a reboot, to be run again": [
    baking({ "Invoke-BakedStep": "$true" }),
    `${lines("Copy-Program", "COM1: baking: One", "Invoke-BakedStep", "COM1: rebooting for One")}RebootNotDone: The machine reboots for One.\n`,
  ],
  "Invoke-Bake says what failed": [
    baking({ "Invoke-BakedStep": fails("CommandFailed") }),
    /\nInvoke-BakedStep\nCOM1: failed: It hangs\. Do it\.\nCommandFailed: It hangs\.\n$/,
  ],
  "Set-MachineIdentity opens the machine last": [
    { script: "Set-MachineIdentity", then: identified },
    `${lines(...atTheDisc, "Set-SshIdentity", "Reset-AdministratorPassword", "Remove-AnswerFile", "Disable-IdentityDisc", "Remove-FirstBoot", "Enable-SshServer", "Start-SshServer", "COM1: ready")}reboot: False, {"computerName":"win-7"}\n`,
  ],
  "Set-MachineIdentity reboots a machine that is not called so yet, closed": [
    { script: "Set-MachineIdentity", then: { ...identified, "Set-MachineName": "$true" } },
    `${lines(...atTheDisc, "Suspend-FirstBoot", "COM1: renamed, rebooting", "Start-Reboot")}reboot: True, {"computerName":"win-7"}\n`,
  ],
  "Set-MachineIdentity leaves it closed where something fails, and says why": [
    {
      script: "Set-MachineIdentity",
      then: { ...identified, "Reset-AdministratorPassword": "throw 'No such account.'" },
    },
    `${lines(...atTheDisc, "Set-SshIdentity", "Reset-AdministratorPassword", "COM1: failed: No such account.")}: No such account.\n`,
  ],
  "Set-MachineIdentity looks whether it is the task's turn before it keeps Windows' setup waiting":
    [{ script: "Set-MachineIdentity", args: ["-AfterSetup", "1"] }, "Test-FirstBootDue\n"],
  "Set-MachineIdentity is the task's where it is its turn": [
    {
      script: "Set-MachineIdentity",
      args: ["-AfterSetup", "1"],
      then: { ...identified, "Test-FirstBootDue": "$true" },
    },
    /^Test-FirstBootDue\nCOM1: set up[^]*\nCOM1: ready\nreboot: False, /,
  ],
  "Complete-Image takes passwords and keys out, closes the machine, and seals last": [
    seals(),
    `${lines("COM1: sealing", "Stop-RemoteManagement", "Remove-RecoveryPartition", "Remove-UserPackage", "Remove-AnswerFile", "Reset-AdministratorPassword", "Write-SealedAnswerFile", "Install-FirstBoot", "Disable-SshServer", "Remove-SshKey", "Reset-SshShell", "Start-Sealing")}reboot: False, {}\n`,
  ],
  "Complete-Image does not seal what still has something in it": [
    seals({ "Remove-SshKey": "throw 'In use.'" }),
    /\nRemove-SshKey\n: In use\.\n$/,
  ],
};

/** What of the library the functions call. */
const libraries = [
  "Step",
  "WholeFile",
  "Services",
  "FirewallRule",
  "PendingReboot",
  "PowerShellCall",
  "SystemTask",
  "SwitchOverride",
];

describe("scripts that make an image, on the interpreter", () => {
  const machine = hostFor("all");

  it("are all run", () => {
    const run = Object.values(wholes).map(([{ script }]) => script);
    assert.deepEqual([...new Set(run)].sort(), steps.map(({ name }) => name).sort());
  });

  const assertComes = async (run: Promise<string>, comes: RegExp | string): Promise<void> => {
    const output = (await run.catch(String)).replaceAll("\r\n", "\n");
    if (typeof comes === "string") assert.equal(output, comes);
    else assert.match(output, comes);
  };
  const all = { ...cases, ...identity, ...sealing, ...ssh };
  eachCase("%s", all, ([text, comes]) => {
    const script = [...shared, withFunctions(standIns + text)].join("\n");
    return assertComes(runText(machine, libraries, script), comes);
  });
  eachCase("%s", wholes, ([whole, comes], name) => {
    const disc = `C:\\disc\\${Object.keys(wholes).indexOf(name)}`;
    return assertComes(runWhole(machine, disc, whole), comes);
  });
});
