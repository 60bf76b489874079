import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { artifactPath } from "../../../../components/windows/media-folder.ts";
import { stepsSource } from "../../../../components/node/steps-folder.ts";
import { shown } from "../../../../rehearsal/powershell/cmdlets/objects.ts";
import { runShellCommand } from "../../../../rehearsal/machine/cmd/shell.ts";
import { type FaultSetting, faultsPath } from "../../../../rehearsal/machine/faults.ts";
import {
  type RehearsedMachine,
  type RehearsedMachineOptions,
  startRehearsedMachine,
} from "../../../rehearsed-machine/in-process.ts";
import type { MachineTime } from "../../../../rehearsal/machine/machine-time.ts";
import type { CarriedArtifact } from "../../../../components/windows/image-manifest.ts";
import { windowsPowerShell } from "../../../../rehearsal/windows/powershell.ts";
import { caCertificate } from "./ca-certificate.ts";
import { adminKey, remoteSteps, stepCommand } from "./ssh-client.ts";

export interface StepRun {
  readonly exitCode: number;
  readonly changed: boolean | undefined;
  readonly rebootRequired: boolean | undefined;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly errorCode: string | undefined;
  readonly errorMessage: string;
  readonly remedy: string;
  readonly stderr: string;
}

/** The steps of nodes, in an order in which each has what it needs. */
export const stepNames = [
  "Test-WindowsHost",
  "Enable-ContainersFeature",
  "Confirm-Reboot",
  "Set-TrustedCertificate",
  "Set-MachineProxy",
  "Install-Containerd",
  "Add-ContainerImage",
  "Install-Kubernetes",
  "Invoke-ScriptBeforeJoin",
  "Install-Flannel",
  "Add-ExternalNetwork",
  "Confirm-ExternalNetwork",
  "Set-HostsEntry",
  "Join-Node",
  "Install-HybridOverlay",
  "Set-ClusterRoute",
  "Invoke-ScriptAfterJoin",
  "Export-NodeLog",
  "Reset-Node",
] as const;

export type StepName = (typeof stepNames)[number];

export const joinToken = "abcdef.0123456789abcdef";
export const caCertHash = `sha256:${"0a".repeat(32)}`;

/** A script of the user's on each machine. */
export const ownScript = scriptOnMachine(
  "New-Item -Path 'C:\\k\\own' -ItemType Directory -Force\r\n",
);

export function scriptOnMachine(
  text: string,
): Readonly<Record<"text" | "sha256" | "file", string>> {
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { text, sha256, file: `C:\\kindows\\media\\${sha256}.ps1` };
}

type Options = Partial<RehearsedMachineOptions>;

/** Starts a host with the media of all steps on its drive. */
async function start(options: Options): Promise<RehearsedMachine> {
  const authorizedKeys = [adminKey.public];
  const machine = await startRehearsedMachine({ hostName: "win-1", authorizedKeys, ...options });
  if (options.drive === undefined)
    await machine.windows.drive.write(ownScript.file, ownScript.text);
  return machine;
}

/** Starts a host with the real step scripts on its drive; the steps up to and including `prepared` have run. */
export async function startWithSteps(
  options: Options = {},
  prepared?: StepName,
): Promise<RehearsedMachine> {
  const machine = await start(options);
  cpSync(stepsSource, join(machine.driveC, ...remoteSteps.split("\\").slice(1)), {
    recursive: true,
  });
  if (prepared !== undefined) await prepareThrough(machine, prepared);
  return machine;
}

/** Such a host for each test of a suite, or for all tests. Its members are those of the current host. */
export function hostFor(
  which: "each" | "all",
  prepared?: StepName,
  options?: Options,
): RehearsedMachine {
  let machine: RehearsedMachine;
  const [begin, end] = which === "each" ? [beforeEach, afterEach] : [before, after];
  begin(async () => {
    machine = await startWithSteps(options, prepared);
  });
  end(() => machine.stop());
  return new Proxy({} as RehearsedMachine, {
    get: (_, name) => Reflect.get(machine, name) as unknown,
  });
}

/** Uses a host, then stops it. */
export async function withHost<T>(
  options: Options,
  work: (machine: RehearsedMachine) => Promise<T>,
  begin = start,
): Promise<T> {
  const machine = await begin(options);
  try {
    return await work(machine);
  } finally {
    await machine.stop();
  }
}

export function withSteps<T>(
  options: Options,
  work: (machine: RehearsedMachine) => Promise<T>,
): Promise<T> {
  return withHost(options, work, startWithSteps);
}

/** Makes these faults occur on a machine. */
export function plantFaults(
  { windows }: Pick<RehearsedMachine, "windows">,
  ...faults: readonly FaultSetting[]
): Promise<void> {
  return windows.drive.write(faultsPath, JSON.stringify(faults));
}

/** Runs a cmd.exe command as over SSH; output lines end with `\n` alone. */
export async function runCommand(
  { windows }: Pick<RehearsedMachine, "windows">,
  command: string,
  stdin = "",
  dropConnection: () => void = () => undefined,
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  let stdout = "";
  let stderr = "";
  const exitCode = await runShellCommand(windows, command, {
    out: (text) => (stdout += text),
    err: (text) => (stderr += text),
    stdin: () => Promise.resolve(stdin),
    dropConnection,
  });
  return { exitCode, stdout, stderr };
}

export async function runStep(
  machine: Pick<RehearsedMachine, "windows">,
  step: string,
  args: readonly string[] = [],
  stdin = "",
  dropConnection?: () => void,
): Promise<StepRun> {
  const command = stepCommand(step, args);
  const { exitCode, stdout, stderr } = await runCommand(machine, command, stdin, dropConnection);
  const lastLine = stdout.trimEnd().split("\n").at(-1) ?? "";
  const result = (lastLine === "" ? {} : JSON.parse(lastLine)) as {
    changed?: boolean;
    rebootRequired?: boolean;
    facts?: Record<string, unknown>;
    error?: { code: string; message: string; remedy: string };
  };
  return {
    exitCode,
    changed: result.changed,
    rebootRequired: result.rebootRequired,
    facts: result.facts ?? {},
    errorCode: result.error?.code,
    errorMessage: result.error?.message ?? "",
    remedy: result.error?.remedy ?? "",
    stderr,
  };
}

/** Asserts that a step succeeds. Compares only the given parts of its result. */
export async function assertDone(
  run: Promise<StepRun>,
  changed?: boolean,
  facts: StepRun["facts"] = {},
): Promise<StepRun> {
  const result = await run;
  assert.equal(result.exitCode, 0, result.stderr);
  if (changed !== undefined) assert.equal(result.changed, changed, result.stderr);
  const found = Object.keys(facts).map((name) => [name, result.facts[name]]);
  assert.deepEqual(Object.fromEntries(found), facts);
  return result;
}

const frame = readFileSync(`${stepsSource}/lib/Step.ps1`, "utf8");

/** Exit codes of a step's errors. Those of the frame are recorded (recordings/traces.yaml). */
function exitCodeOf(code: string): number {
  const listed = new RegExp(`^    ${code} += (\\d+)\\r?$`, "m").exec(frame)?.[1];
  return Number(listed ?? 10);
}

/** Asserts that a step ends with one of its errors. */
export async function assertFails(
  run: Promise<StepRun>,
  code: string,
  message = /./,
  remedy = /./,
): Promise<StepRun> {
  const result = await run;
  assert.deepEqual([result.exitCode, result.errorCode], [exitCodeOf(code), code], result.stderr);
  assert.match(result.errorMessage, message);
  assert.match(result.remedy, remedy);
  return result;
}

/** Asserts the content of a file on a machine's drive. */
export async function assertFile(
  { windows }: Pick<RehearsedMachine, "windows">,
  path: string,
  content: RegExp,
): Promise<void> {
  assert.match((await windows.drive.readText(path)) ?? "", content);
}

export const pathOf = ({ sha256, fileName }: CarriedArtifact): string =>
  artifactPath(sha256, fileName);

/** By step, arguments with which it succeeds on a host in the right state. */
export function goodArguments(
  machine: RehearsedMachine,
): Readonly<Record<string, readonly string[]>> {
  const { containerd, kubelet, kubeadm, kubeLogRunner, crictl } = machine.media;
  const { flannel, flannelPlugin, hybridOverlay, cniPlugins } = machine.media;
  return {
    "Test-WindowsHost": ["-ComputerName", "win-1"],
    "Enable-ContainersFeature": [],
    "Confirm-Reboot": [],
    "Install-Containerd": [
      ...["-Version", "2.4.2", "-ArchivePath", pathOf(containerd)],
      ...["-ArchiveSha256", containerd.sha256],
      ...["-CrictlPath", pathOf(crictl), "-CrictlSha256", crictl.sha256],
    ],
    "Install-Kubernetes": [
      ...["-Version", "1.36.4", "-KubeletPath", pathOf(kubelet)],
      ...["-KubeletSha256", kubelet.sha256],
      ...["-KubeadmPath", pathOf(kubeadm), "-KubeadmSha256", kubeadm.sha256],
      ...["-KubeLogRunnerPath", pathOf(kubeLogRunner)],
      ...["-KubeLogRunnerSha256", kubeLogRunner.sha256],
    ],
    "Set-HostsEntry": ["-Entry", "192.168.150.128=control-plane", "-DnsServers", "1.1.1.1"],
    "Join-Node": [
      ...["-NodeName", "win-1", "-ApiServerEndpoint", "control-plane:6443"],
      ...["-NodeIp", "192.168.150.11", "-NodeLabels", "pool=a,zone=b", "-NodeTaints", ""],
      ...["-KubeletArgs", ""],
    ],
    "Set-ClusterRoute": [
      ...["-Route", '"10.244.0.0/16=192.168.150.128;10.96.0.0/16=192.168.150.128"'],
    ],
    "Export-NodeLog": [],
    "Reset-Node": [],
    "Install-Flannel": [
      ...["-NodeName", "win-1", "-NodeIp", "192.168.150.11"],
      ...["-NetConf", base64('{"Network":"10.244.0.0/16"}'), "-CniConf", base64('{"name":"cbr0"}')],
      ...["-DaemonPath", pathOf(flannel), "-DaemonSha256", flannel.sha256],
      ...["-PluginPath", pathOf(flannelPlugin), "-PluginSha256", flannelPlugin.sha256],
      ...["-CniPluginsPath", pathOf(cniPlugins), "-CniPluginsSha256", cniPlugins.sha256],
    ],
    "Install-HybridOverlay": [
      ...["-NodeName", "win-1", "-NodeIp", "192.168.150.11", "-PodCidr", "10.244.0.0/16"],
      ...["-ServiceCidr", "10.96.0.0/12", "-VxlanPort", "4789"],
      ...["-ProgramPath", pathOf(hybridOverlay), "-ProgramSha256", hybridOverlay.sha256],
      ...["-CniPluginsPath", pathOf(cniPlugins), "-CniPluginsSha256", cniPlugins.sha256],
    ],
    "Add-ExternalNetwork": ["-Address", "192.168.150.11"],
    "Confirm-ExternalNetwork": ["-Address", "192.168.150.11"],
    "Add-ContainerImage": ["-Images", "registry.k8s.io/pause:3.10.2"],
    "Set-TrustedCertificate": ["-Thumbprints", caCertificate.sha1],
    "Invoke-ScriptBeforeJoin": ["-Scripts", `first.ps1=${ownScript.sha256}=once`],
    "Invoke-ScriptAfterJoin": ["-Scripts", `last.ps1=${ownScript.sha256}=changed`],
    "Set-MachineProxy": [
      ...["-HttpProxy", "http://proxy.test:3128", "-HttpsProxy", "http://proxy.test:3128"],
      ...["-NoProxy", '"localhost,.svc,10.96.0.0/16"'],
    ],
  };
}

export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Runs a step with those arguments, replaced or extended by the given ones. */
export function runGood(
  machine: RehearsedMachine,
  step: string,
  given: Readonly<Record<string, string>> = {},
): Promise<StepRun> {
  const args = Object.entries(given).reduce<readonly string[]>(
    (before, [name, value]) =>
      before.includes(name) ? withArgument(before, name, value) : [...before, name, value],
    goodArguments(machine)[step] ?? [],
  );
  return runStep(machine, step, args, joinInput);
}

function withArgument(args: readonly string[], name: string, value: string): string[] {
  const index = args.indexOf(name);
  return args.map((argument, position) => (position === index + 1 ? value : argument));
}

export const joinInput = JSON.stringify({
  token: joinToken,
  caCertHashes: [caCertHash],
  certificates: [caCertificate.der],
});

/** Steps that only some settings require. */
const optionalSteps = [
  "Set-TrustedCertificate",
  "Invoke-ScriptBeforeJoin",
  "Invoke-ScriptAfterJoin",
  "Add-ContainerImage",
  "Set-MachineProxy",
  "Install-Flannel",
  "Install-HybridOverlay",
  "Add-ExternalNetwork",
  "Confirm-ExternalNetwork",
  "Set-ClusterRoute",
];

/** Runs the steps of every node in order, up to and including `last` and through the reboot. @throws if one fails */
export async function prepareThrough(machine: RehearsedMachine, last: string): Promise<void> {
  for (const [step, args] of Object.entries(goodArguments(machine))) {
    if (optionalSteps.includes(step)) continue;
    const result = await runStep(machine, step, args, joinInput);
    if (result.exitCode !== 0) throw new Error(`${step}: ${result.stderr}`);
    if (result.rebootRequired === true) await machine.up();
    if (step === last) return;
  }
  throw new Error(`there is no step ${last}`);
}

/** Runs lines of PowerShell on a machine after parts of the steps' library. @returns their console output */
export async function runText(
  { windows }: Pick<RehearsedMachine, "windows">,
  library: readonly string[],
  text: string,
): Promise<string> {
  const loaded = library.map((name) => `. (Join-Path $PSScriptRoot 'lib\\${name}.ps1')\r\n`);
  const file = `${remoteSteps}\\run-text.ps1`;
  await windows.drive.write(file, loaded.join("") + text);
  return runFile({ windows }, file);
}

/** Runs a script on a machine. @returns its console output */
export async function runFile(
  { windows }: Pick<RehearsedMachine, "windows">,
  file: string,
  args: readonly string[] = [],
): Promise<string> {
  let output = "";
  const shell = windowsPowerShell(
    windows,
    {
      output: (part) => void (output += part),
      error: (part) => void (output += part),
      input: () => Promise.resolve(Buffer.alloc(0)),
    },
    () => Promise.resolve(),
  );
  const write = (value: Parameters<typeof shown>[0]): Promise<void> => {
    output += shown(value);
    return Promise.resolve();
  };
  await windows.time.busy(() => shell.runFile(file, args, write));
  return output;
}

/** A wait of a machine that a test ends. */
export interface HeldWait {
  readonly begun: Promise<void>;
  readonly end: () => void;
}

/** Holds the machine's next wait of this many seconds; other waits are not changed. */
export function holdWait(time: MachineTime, seconds: number): HeldWait {
  const sleep = time.sleep.bind(time);
  const held = new AbortController();
  const begun = new Promise<void>((resolve) => {
    time.sleep = async (milliseconds, cancelled) => {
      if (milliseconds !== seconds * 1000) return sleep(milliseconds, cancelled);
      resolve();
      await sleep(Infinity, AbortSignal.any([held.signal, ...(cancelled ? [cancelled] : [])]));
    };
  });
  const end = (): void => {
    held.abort();
  };
  return { begun, end };
}
