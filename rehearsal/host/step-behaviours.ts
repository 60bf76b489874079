import type { StepBehaviour } from "./step.ts";
import type { StepName } from "./step-names.ts";
import { addExternalNetwork } from "./steps/add-external-network.ts";
import { confirmExternalNetwork } from "./steps/confirm-external-network.ts";
import { confirmReboot } from "./steps/confirm-reboot.ts";
import { enableContainersFeature } from "./steps/enable-containers-feature.ts";
import { exportNodeLog } from "./steps/export-node-log.ts";
import { joinNode } from "./steps/join-node.ts";
import { resetNode } from "./steps/reset-node.ts";
import { setClusterRoute } from "./steps/set-cluster-route.ts";
import { setMachineProxy } from "./steps/set-machine-proxy.ts";
import { testWindowsHost } from "./steps/test-windows-host.ts";

/** What stands in for each step script that does not run itself yet. */
export const stepBehaviours: Readonly<Partial<Record<StepName, StepBehaviour>>> = {
  "Test-WindowsHost": testWindowsHost,
  "Enable-ContainersFeature": enableContainersFeature,
  "Confirm-Reboot": confirmReboot,
  "Set-MachineProxy": setMachineProxy,
  "Add-ExternalNetwork": addExternalNetwork,
  "Confirm-ExternalNetwork": confirmExternalNetwork,
  "Join-Node": joinNode,
  "Set-ClusterRoute": setClusterRoute,
  "Export-NodeLog": exportNodeLog,
  "Reset-Node": resetNode,
};
