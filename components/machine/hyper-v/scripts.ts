import { readFileSync } from "node:fs";
import path from "node:path";
import type { Arguments, Parameters } from "../../../host/ssh/windows-command.ts";
import type { HyperVHostParameter, HyperVMachineParameter } from "./parameters.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { filesBelow } from "../../node/folder-hash.ts";
import { stepsSource } from "../../node/steps-folder.ts";

/** Names and types of the parameters in each script's `param()` block. The scripts' help documents them. */
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

export type HyperVScript = keyof typeof hyperVScripts;

/** Values for the scripts' parameters, by the parameters' names. */
export type ScriptInputs = Omit<HyperVHostParameter & HyperVMachineParameter, "name"> & {
  /** Name of the virtual machine. Default: empty, which means all of the lab's machines in the host's folder. */
  readonly machineName: string;
};

export function scriptValues(
  script: HyperVScript,
  { machineName = "", secureBoot = false, ...others }: Partial<ScriptInputs>,
): Arguments<Parameters> {
  const known: Readonly<Record<string, unknown>> = {
    machineName,
    secureBoot: Number(secureBoot),
    ...others,
  };
  const names = Object.keys(hyperVScripts[script]);
  return Object.fromEntries(
    names.map((name) => [name, known[`${name.charAt(0).toLowerCase()}${name.slice(1)}`]]),
  ) as Arguments<Parameters>;
}

export const hyperVScriptsSource = path.join(projectRoot, "components/machine/hyper-v/scripts");

/** The files that are copied to a Hyper-V host, by their paths below the scripts' folder, e.g. `lib/Step.ps1`. */
export function hyperVScriptFiles(): ReadonlyMap<string, Buffer> {
  const own = filesBelow(hyperVScriptsSource).sort();
  // All scripts use this file of the node steps' library.
  const frame = path.join(projectRoot, stepsSource, "lib/Step.ps1");
  return new Map([
    ...own.map((name) => [name, readFileSync(path.join(hyperVScriptsSource, name))] as const),
    ["lib/Step.ps1", readFileSync(frame)] as const,
  ]);
}
