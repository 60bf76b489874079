/** The scripts for a Hyper-V host that have a behaviour here, by their files' names without `.ps1`. */
export const hyperVScriptNames = [
  "Test-HyperVHost",
  "New-LabMachine",
  "Get-LabMachine",
  "Remove-LabMachine",
] as const;

export type HyperVScriptName = (typeof hyperVScriptNames)[number];
