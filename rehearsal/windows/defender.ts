/**
 * Microsoft Defender's exclusions.
 *
 * Sources: https://learn.microsoft.com/powershell/module/defender (Get-, Add- and Remove-MpPreference).
 */
import { cmdlets, type Call, type Cmdlet } from "../powershell/commands.ts";
import type { Value } from "../powershell/values.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";
import { object, strings } from "./objects.ts";

export function defenderCmdlets({ state }: WindowsMachine): readonly Cmdlet[] {
  const isProcess = (path: string) => /\.exe$/i.test(path);
  /** An empty list is null, as in Windows. */
  const list = (paths: readonly string[]): Value => (paths.length === 0 ? null : strings(paths));
  const change = (add: boolean) => (call: Call) => {
    const given = ["ExclusionPath", "ExclusionProcess"].flatMap((name) => call.texts(name) ?? []);
    const lower = given.map((path) => path.toLowerCase());
    const others = state.defenderExclusions.filter((path) => !lower.includes(path.toLowerCase()));
    state.defenderExclusions = add ? [...others, ...given] : others;
  };
  const exclusions = "[-ExclusionPath <string[]>] [-ExclusionProcess <string[]>]";
  return cmdlets({
    "Get-MpPreference"(call) {
      const all = state.defenderExclusions;
      const preference = {
        ExclusionPath: list(all.filter((path) => !isProcess(path))),
        ExclusionProcess: list(all.filter(isProcess)),
      };
      return call.emit(object(preference));
    },
    [`Add-MpPreference ${exclusions}`]: change(true),
    [`Remove-MpPreference ${exclusions}`]: change(false),
  });
}
