import { scriptCommand } from "../../windows/step-command.ts";
import type { HyperVHostParameter, HyperVMachineParameter } from "./parameters.ts";
import { hyperVScripts, type HyperVArguments, type HyperVScript } from "./script-parameters.ts";

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
