/**
 * The step scripts of nodes, by their files' names without `.ps1`. In an order in which each finds
 * what it needs.
 */
export const stepNames = [
  "Test-WindowsHost",
  "Enable-ContainersFeature",
  "Confirm-Reboot",
  "Set-MachineProxy",
  "Install-Containerd",
  "Add-ContainerImage",
  "Install-Kubernetes",
  "Install-Flannel",
  "Add-ExternalNetwork",
  "Confirm-ExternalNetwork",
  "Set-HostsEntry",
  "Join-Node",
  "Set-ClusterRoute",
  "Export-NodeLog",
  "Reset-Node",
] as const;

export type StepName = (typeof stepNames)[number];

/** Every script: the nodes' steps, and those for a Hyper-V host. */
export const scriptNames = [
  ...stepNames,
  ...(["Test-HyperVHost", "New-LabMachine", "Get-LabMachine", "Remove-LabMachine"] as const),
] as const;

export type ScriptName = (typeof scriptNames)[number];
