/**
 * Windows' features. Only Containers is modelled.
 *
 * Source: https://learn.microsoft.com/powershell/module/servermanager (Install-WindowsFeature),
 * https://learn.microsoft.com/powershell/module/dism/get-windowsoptionalfeature.
 */
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import { Unsupported } from "../powershell/values.ts";
import type { Drive } from "../machine/drive.ts";
import type { MachineState } from "../machine/state.ts";
import { object } from "./objects.ts";

const currentVersion = "SOFTWARE\\Microsoft\\Windows\\CurrentVersion";
/** DISM's names for the states. */
const dismStates = { Available: "Disabled", InstallPending: "EnablePending", Installed: "Enabled" };

/** Keys that exist while a feature or an update waits for a reboot. */
export const featurePending = `${currentVersion}\\Component Based Servicing\\RebootPending`;
export const updatePending = `${currentVersion}\\WindowsUpdate\\Auto Update\\RebootRequired`;

export function featureCmdlets(
  { features, registry }: MachineState,
  drive: Drive,
): readonly Cmdlet[] {
  const assertKnown = (name = ""): void => {
    if (name.toLowerCase() !== "containers") throw new Unsupported(`the feature ${name}`);
  };
  return cmdlets({
    "Get-WindowsOptionalFeature [-FeatureName] <string> -Online"(call) {
      assertKnown(call.text("FeatureName"));
      const state = dismStates[features.Containers];
      return call.emit(object({ FeatureName: "Containers", State: state }));
    },
    async "Install-WindowsFeature [-Name] <string>"(call) {
      assertKnown(call.text("Name"));
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
