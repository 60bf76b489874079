/**
 * Windows' features, of which Containers is known.
 *
 * Source: https://learn.microsoft.com/powershell/module/servermanager (Get-WindowsFeature, Install-WindowsFeature).
 */
import type { Call, Cmdlet } from "../../powershell/commands.ts";
import * as is from "../../powershell/types.ts";
import { CustomObject, Unsupported } from "../../powershell/values.ts";
import type { WindowsHost } from "../host/windows-host.ts";

const parameters = { Name: { type: "string", position: 0, mandatory: true } } as const;

export function featureCmdlets({ settings }: WindowsHost): readonly Cmdlet[] {
  const nameOf = (call: Call): string => {
    const name = call.text("Name") ?? "";
    if (name.toLowerCase() !== "containers") {
      throw new Unsupported(`the feature ${name}`);
    }
    return "Containers";
  };
  return [
    {
      name: "Get-WindowsFeature",
      parameters,
      async run(call) {
        const name = nameOf(call);
        await call.emit(
          new CustomObject(is.customObject)
            .set("Name", name)
            .set("InstallState", settings.featureState(name)),
        );
      },
    },
    {
      name: "Install-WindowsFeature",
      parameters,
      async run(call) {
        const name = nameOf(call);
        // Nothing is installed on a machine that waits for a reboot because of something else.
        const isRefused = settings.rebootPending.includes("Windows Update");
        const isNew = !isRefused && settings.featureState(name) === "Available";
        if (isNew) {
          await settings.setFeatureState(name, "InstallPending");
        }
        const exitCode = isRefused ? "FailedRestartRequired" : "SuccessRestartRequired";
        await call.emit(
          new CustomObject(is.customObject)
            .set("Success", !isRefused)
            .set("RestartNeeded", isNew || isRefused ? "Yes" : "No")
            .set("ExitCode", isNew || isRefused ? exitCode : "NoChangeNeeded"),
        );
      },
    },
  ];
}
