import { readFileSync } from "node:fs";
import path from "node:path";
import type { Arguments, Parameters } from "../../windows/node-step.ts";
import type { HyperVHostParameter, HyperVMachineParameter } from "./parameters.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { filesBelow, stepsSource } from "../../windows/steps-folder.ts";

/** The parameters of each script for a Hyper-V host, as its `param()` block has them; its help says what they mean. */
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

/** What a script is told of a host and of a machine: each of its parameters has the name of one of these. */
export type ScriptInputs = Omit<HyperVHostParameter & HyperVMachineParameter, "name"> & {
  /** Of the machine. Default: all of the lab's in the host's folder. */
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

/** What is copied to a Hyper-V host, by its path below the folder there, e.g. `lib/Step.ps1`. */
export function hyperVScriptFiles(): ReadonlyMap<string, Buffer> {
  const own = filesBelow(hyperVScriptsSource).sort();
  // Of the steps' library: the frame that every script stands in.
  const frame = path.join(projectRoot, stepsSource, "lib/Step.ps1");
  return new Map([
    ...own.map((name) => [name, readFileSync(path.join(hyperVScriptsSource, name))] as const),
    ["lib/Step.ps1", readFileSync(frame)] as const,
  ]);
}
