import type { Arguments, Parameters } from "../../windows/node-step.ts";

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
export type HyperVScript = keyof typeof hyperVScripts;

/** Values for all parameters of a script. */
export type HyperVArguments<S extends HyperVScript> = Arguments<(typeof hyperVScripts)[S]>;
