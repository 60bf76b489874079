import { readFileSync } from "node:fs";
import path from "node:path";
import type { Arguments, Parameters } from "../../windows/node-step.ts";
import type { HyperVHostParameter, HyperVMachineParameter } from "./parameters.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { filesBelow, stepsSource } from "../../windows/steps-folder.ts";

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

/** A script for a Hyper-V host with values for all its parameters. */
export interface ScriptCall {
  readonly script: HyperVScript;
  readonly values: Arguments<Parameters>;
}

function call<S extends HyperVScript>(
  script: S,
  values: Arguments<(typeof hyperVScripts)[S]>,
): ScriptCall {
  return { script, values };
}

export function testHostCall({ switchName, folder, baseDisk }: HyperVHostParameter): ScriptCall {
  return call("Test-HyperVHost", { SwitchName: switchName, Folder: folder, BaseDisk: baseDisk });
}

export function newMachineCall(
  host: HyperVHostParameter,
  machine: HyperVMachineParameter,
): ScriptCall {
  return call("New-LabMachine", {
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
  });
}

export function getMachinesCall({ owner }: HyperVHostParameter): ScriptCall {
  return call("Get-LabMachine", { Owner: owner });
}

/** @param name of the machine. Default: all of the lab's in the host's folder. */
export function removeCall({ folder, owner }: HyperVHostParameter, name = ""): ScriptCall {
  return call("Remove-LabMachine", { MachineName: name, Folder: folder, Owner: owner });
}

/** The scripts for a Hyper-V host. */
export const hyperVScriptsSource = path.join(projectRoot, "components/machine/hyper-v/scripts");

/** What is copied to a Hyper-V host, by its path below the folder there, e.g. `lib/Step.ps1`. */
export function hyperVScriptFiles(): ReadonlyMap<string, Buffer> {
  const own = filesBelow(hyperVScriptsSource).map((name) => [name, hyperVScriptsSource] as const);
  // Of the steps' library: the frame that every script stands in.
  const frame = ["lib/Step.ps1", stepsSource] as const;
  return new Map(
    [...own.sort(), frame].map(([name, folder]) => [
      name,
      readFileSync(path.resolve(projectRoot, folder, name)),
    ]),
  );
}
