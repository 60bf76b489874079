/**
 * What Microsoft Defender leaves alone.
 *
 * Sources: https://learn.microsoft.com/powershell/module/defender (Get-, Add- and Remove-MpPreference).
 */
import type { Call, Cmdlet } from "../../powershell/commands.ts";
import type { Value } from "../../powershell/values.ts";
import type { WindowsHost } from "../host/windows-host.ts";
import { object, strings } from "./objects.ts";

const parameters = { ExclusionPath: { type: "string[]" }, ExclusionProcess: { type: "string[]" } };

export function defenderCmdlets({ state }: WindowsHost): readonly Cmdlet[] {
  const isProcess = (path: string) => /\.exe$/i.test(path);
  /** Nothing where there is none. */
  const list = (paths: readonly string[]): Value => (paths.length === 0 ? null : strings(paths));
  return [
    {
      name: "Get-MpPreference",
      parameters: {},
      run(call) {
        const all = state.defenderExclusions;
        const preference = {
          ExclusionPath: list(all.filter((path) => !isProcess(path))),
          ExclusionProcess: list(all.filter(isProcess)),
        };
        return call.emit(object(preference));
      },
    },
    ...(["Add", "Remove"] as const).map((verb) => ({
      name: `${verb}-MpPreference`,
      parameters,
      run(call: Call) {
        const given = Object.keys(parameters).flatMap((name) => call.texts(name) ?? []);
        const lower = given.map((path) => path.toLowerCase());
        const others = state.defenderExclusions.filter(
          (path) => !lower.includes(path.toLowerCase()),
        );
        state.defenderExclusions = verb === "Add" ? [...others, ...given] : others;
      },
    })),
  ];
}
