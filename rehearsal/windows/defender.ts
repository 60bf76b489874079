/**
 * What Microsoft Defender leaves alone.
 *
 * Sources: https://learn.microsoft.com/powershell/module/defender (Get-, Add- and Remove-MpPreference).
 */
import type { Cmdlet } from "../../powershell/commands.ts";
import * as is from "../../powershell/types.ts";
import { CustomObject, type Value } from "../../powershell/values.ts";
import type { WindowsHost } from "../host/windows-host.ts";

const parameters = { ExclusionPath: { type: "string[]" }, ExclusionProcess: { type: "string[]" } };

export function defenderCmdlets({ settings }: WindowsHost): readonly Cmdlet[] {
  const isProcess = (path: string) => /\.exe$/i.test(path);
  /** Nothing where there is none. */
  const list = (paths: readonly string[]): Value =>
    paths.length === 0 ? null : is.array([...paths], is.types.get("string[]"));
  return [
    {
      name: "Get-MpPreference",
      parameters: {},
      run(call) {
        const all = settings.defenderExclusions;
        const preference = new CustomObject(is.customObject)
          .set("ExclusionPath", list(all.filter((path) => !isProcess(path))))
          .set("ExclusionProcess", list(all.filter(isProcess)));
        return call.emit(preference);
      },
    },
    ...(["Add", "Remove"] as const).map((verb) => ({
      name: `${verb}-MpPreference`,
      parameters,
      async run(call: Parameters<NonNullable<Cmdlet["run"]>>[0]) {
        const given = Object.keys(parameters).flatMap((name) => call.texts(name) ?? []);
        const lower = given.map((path) => path.toLowerCase());
        const others = settings.defenderExclusions.filter(
          (path) => !lower.includes(path.toLowerCase()),
        );
        await settings.setDefenderExclusions(verb === "Add" ? [...others, ...given] : others);
      },
    })),
  ];
}
