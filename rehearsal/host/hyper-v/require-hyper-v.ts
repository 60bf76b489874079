import { StepError } from "../step-error.ts";
import type { WindowsHost } from "../windows-host.ts";
import { type HyperVModel, diskAt, loadHyperV, samePath } from "./hyper-v-model.ts";

/** GiB that a machine's disk needs, as lib/HyperVHost.ps1 has it. */
const neededDiskGiB = 20;

/** Hyper-V of a host; what Assert-HyperV refuses is an error. */
export async function requireHyperV(host: WindowsHost): Promise<HyperVModel> {
  const model = await loadHyperV(host);
  if (model === undefined) {
    throw new StepError(
      "FeatureMissing",
      "Hyper-V is not installed on this host: it has no service vmms.",
      "Run there: Install-WindowsFeature -Name Hyper-V -IncludeManagementTools -Restart",
    );
  }
  if (!model.module) {
    throw new StepError(
      "FeatureMissing",
      "The PowerShell module of Hyper-V is not installed on this host: it has no New-VM.",
      "Run there: Install-WindowsFeature -Name Hyper-V-PowerShell",
    );
  }
  if (!model.runs) {
    throw new StepError(
      "ServiceNotRunning",
      "The service vmms of Hyper-V does not run on this host: it is Stopped.",
      "Run there: Start-Service vmms; where it does not start, look at its event log.",
    );
  }
  return model;
}

/** What Get-HyperVHostProblem tells. */
export async function hostProblems(
  host: WindowsHost,
  model: HyperVModel,
  wanted: { readonly switchName: string; readonly baseDisk: string; readonly folder: string },
): Promise<string[]> {
  const { switchName, baseDisk, folder } = wanted;
  const problems: string[] = [];
  const named = model.switches.find(({ name }) => name === switchName);
  if (named === undefined) {
    const there = model.switches.map(({ name }) => name).join(", ");
    problems.push(`there is no virtual switch ${switchName} (there are: ${there})`);
  } else if (named.type !== "External") {
    problems.push(
      `the virtual switch ${switchName} is ${named.type}, so it is not one segment with anything outside`,
    );
  }
  const disk = diskAt(model, baseDisk);
  if (disk === undefined) {
    problems.push(`there is no disk ${baseDisk}`);
  } else {
    if (disk.format !== "VHDX") {
      problems.push(`${baseDisk} is a ${disk.format}, not a VHDX (Convert-VHD makes one of it)`);
    }
    for (const machine of model.machines.filter((each) => samePath(each.disk, baseDisk))) {
      problems.push(`${baseDisk} is the disk of the machine ${machine.name}, which writes to it`);
    }
  }
  const drive = folder.slice(0, 2);
  const free = Math.floor(await host.hardware.freeDiskGiB());
  if (drive.toUpperCase() !== "C:") {
    problems.push(`there is no drive ${drive}`);
  } else if (free < neededDiskGiB) {
    problems.push(
      `drive ${drive} has ${free} GiB free, ${neededDiskGiB} GiB are needed for a machine`,
    );
  }
  return problems;
}

/** What Get-MachineSizeProblem tells. */
export function sizeProblems(
  model: HyperVModel,
  wanted: {
    readonly baseDisk: string;
    readonly cpus: number;
    readonly memoryMiB: number;
    readonly diskGiB: number;
  },
): string[] {
  const { baseDisk, cpus, memoryMiB, diskGiB } = wanted;
  const problems: string[] = [];
  const taken = model.machines
    .filter(({ state }) => state === "Running")
    .reduce((sum, machine) => sum + machine.memoryMiB, 0);
  const free = model.memoryMiB - taken;
  if (free < memoryMiB) {
    problems.push(`${free} MiB of memory are free, the machine needs ${memoryMiB} MiB`);
  }
  if (model.logicalProcessors < cpus) {
    problems.push(
      `it has ${model.logicalProcessors} logical processors, the machine is to have ${cpus}`,
    );
  }
  const size = diskAt(model, baseDisk)?.sizeGiB ?? 0;
  if (size > diskGiB) {
    problems.push(
      `${baseDisk} is ${size} GiB large, the machine's disk of ${diskGiB} GiB cannot be smaller`,
    );
  }
  return problems;
}

/** @throws with all problems, where there are any. */
export function assertNoProblem(problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new StepError(
      "HostUnsuitable",
      `This Hyper-V host cannot run the machine: ${problems.join("; ")}.`,
      "Change that on the host, or its entry in kindows:hyperVHosts.",
    );
  }
}
