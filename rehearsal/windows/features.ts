/**
 * Windows' features.
 *
 * Source: https://learn.microsoft.com/powershell/module/servermanager/get-windowsfeature.
 */
import type { Cmdlet } from "../../powershell/commands.ts";
import * as is from "../../powershell/types.ts";
import { CustomObject } from "../../powershell/values.ts";
import type { WindowsHost } from "../host/windows-host.ts";

export function featureCmdlets({ settings }: WindowsHost): readonly Cmdlet[] {
  return [
    {
      name: "Get-WindowsFeature",
      parameters: { Name: { type: "string[]", position: 0, mandatory: true } },
      async run(call) {
        for (const name of call.texts("Name") ?? []) {
          const feature = new CustomObject(is.customObject).set("Name", name);
          await call.emit(feature.set("InstallState", settings.featureState(name)));
        }
      },
    },
  ];
}
