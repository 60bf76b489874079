import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Arguments, Parameters } from "../../windows/node-step.ts";
import { scriptCommand } from "../../windows/step-command.ts";
import type { HyperVHostParameter, HyperVMachineParameter } from "./parameters.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { filesHash, stepsSource } from "../../windows/steps-folder.ts";

/**
 * The parameters of each script for a Hyper-V host, by the same names as in its `param()` block; what they mean stands
 * in the script's help.
 */
export const hyperVScripts = {
  "Test-HyperVHost": { SwitchName: "string", Folder: "string", BaseDisk: "string" },
  "New-LabMachine": {
    MachineName: "string",
    Folder: "string",
    Owner: "string",
    Making: "string",
    BaseDisk: "string",
    Generation: "int",
    SecureBoot: "int",
    SwitchName: "string",
    MacAddress: "string",
    Cpus: "int",
    MemoryMiB: "int",
    DiskGiB: "int",
  },
  "Get-LabMachine": { Owner: "string" },
  "Remove-LabMachine": { MachineName: "string", Folder: "string", Owner: "string" },
} as const satisfies Record<string, Parameters>;

/** Name of a script: its file's without `.ps1`. */
type HyperVScript = keyof typeof hyperVScripts;

/** Values for all parameters of a script. */
type HyperVArguments<S extends HyperVScript> = Arguments<(typeof hyperVScripts)[S]>;

/** A script for a Hyper-V host with its values. */
export interface ScriptCall<S extends HyperVScript = HyperVScript> {
  readonly script: S;
  readonly values: HyperVArguments<S>;
}

/** Command line, for cmd.exe, that runs a script which lies in `folder`. */
export function hyperVCommand({ script, values }: ScriptCall, folder: string): string {
  return scriptCommand(folder, { name: script, parameters: hyperVScripts[script] }, values);
}

export function testHostCall(host: HyperVHostParameter): ScriptCall<"Test-HyperVHost"> {
  const { switchName, folder, baseDisk } = host;
  return {
    script: "Test-HyperVHost",
    values: { SwitchName: switchName, Folder: folder, BaseDisk: baseDisk },
  };
}

export function newMachineCall(
  host: HyperVHostParameter,
  machine: HyperVMachineParameter,
): ScriptCall<"New-LabMachine"> {
  return {
    script: "New-LabMachine",
    values: {
      MachineName: machine.name,
      Folder: host.folder,
      Owner: host.owner,
      Making: machine.making,
      BaseDisk: host.baseDisk,
      Generation: machine.generation,
      SecureBoot: machine.secureBoot ? 1 : 0,
      SwitchName: host.switchName,
      MacAddress: machine.macAddress,
      Cpus: machine.cpus,
      MemoryMiB: machine.memoryMiB,
      DiskGiB: machine.diskGiB,
    },
  };
}

export function getMachinesCall(host: HyperVHostParameter): ScriptCall<"Get-LabMachine"> {
  return { script: "Get-LabMachine", values: { Owner: host.owner } };
}

/** @param name of the machine; undefined: all of the lab's in the host's folder. */
export function removeCall(
  host: HyperVHostParameter,
  name: string | undefined,
): ScriptCall<"Remove-LabMachine"> {
  return {
    script: "Remove-LabMachine",
    values: { MachineName: name ?? "", Folder: host.folder, Owner: host.owner },
  };
}

/** The scripts for a Hyper-V host. */
export const hyperVScriptsSource = path.join(projectRoot, "components/machine/hyper-v/scripts");

/** Of the steps' library: the frame that every script stands in. */
const sharedParts = ["Step.ps1", "Step.ps1", "Step.ps1"];

/** What is copied to a Hyper-V host. */
interface HyperVScriptFiles {
  /** Of their names and bytes: edited ones get another folder there. */
  readonly hash: string;
  /** By their path below that folder, e.g. `lib/Step.ps1`. */
  readonly files: ReadonlyMap<string, Buffer>;
}

export function hyperVScriptFiles(): HyperVScriptFiles {
  const own = readdirSync(hyperVScriptsSource, { recursive: true })
    .map((file) => String(file).split(path.sep).join("/"))
    .filter((file) => file.endsWith(".ps1"))
    .sort();
  const files = new Map([
    ...own.map((file) => [file, readFileSync(path.join(hyperVScriptsSource, file))] as const),
    ...sharedParts.map(
      (name) =>
        [`lib/${name}`, readFileSync(path.join(projectRoot, stepsSource, "lib", name))] as const,
    ),
  ]);
  return { hash: filesHash(files), files };
}
