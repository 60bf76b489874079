/**
 * Windows' features. Only Containers is modelled.
 *
 * Source: https://learn.microsoft.com/powershell/module/servermanager (Get-WindowsFeature, Install-WindowsFeature).
 */
import { cmdlets, type Call, type Cmdlet } from "../../powershell/commands.ts";
import { Unsupported } from "../../powershell/values.ts";
import type { WindowsHost } from "../host/windows-host.ts";
import { object } from "./objects.ts";

const currentVersion = "SOFTWARE\\Microsoft\\Windows\\CurrentVersion";
/** Keys that exist while a feature or an update waits for a reboot. */
export const featurePending = `${currentVersion}\\Component Based Servicing\\RebootPending`;
export const updatePending = `${currentVersion}\\WindowsUpdate\\Auto Update\\RebootRequired`;

export function featureCmdlets({ state, drive, registry }: WindowsHost): readonly Cmdlet[] {
  const { features } = state;
  const assertKnown = (call: Call): void => {
    const name = call.text("Name") ?? "";
    if (name.toLowerCase() !== "containers") throw new Unsupported(`the feature ${name}`);
  };
  return cmdlets({
    "Get-WindowsFeature [-Name] <string>"(call) {
      assertKnown(call);
      return call.emit(object({ Name: "Containers", InstallState: features.Containers }));
    },
    async "Install-WindowsFeature [-Name] <string>"(call) {
      assertKnown(call);
      // Windows installs no features while an update waits for a reboot.
      const isRefused = registry.find(updatePending) !== undefined;
      const isNew = !isRefused && features.Containers === "Available";
      if (isNew) {
        drive.assertRoom();
        features.Containers = "InstallPending";
        registry.make(featurePending);
      }
      const exitCode = isRefused ? "FailedRestartRequired" : "SuccessRestartRequired";
      const waits = isNew || isRefused;
      const [RestartNeeded, ExitCode] = waits ? ["Yes", exitCode] : ["No", "NoChangeNeeded"];
      await call.emit(object({ Success: !isRefused, RestartNeeded, ExitCode }));
    },
  });
}
