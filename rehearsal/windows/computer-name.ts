/**
 * The machine's name.
 *
 * Source: https://learn.microsoft.com/powershell/module/microsoft.powershell.management/rename-computer.
 */
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";

/** Has the name after the next boot. */
export const nextNameKey = "SYSTEM\\CurrentControlSet\\Control\\ComputerName\\ComputerName";

export function computerNameCmdlets({ state, registry }: WindowsMachine): readonly Cmdlet[] {
  return cmdlets({
    "Rename-Computer [-NewName] <string> -Force"(call) {
      const name = call.text("NewName") ?? "";
      state.computerName = name;
      registry.make(nextNameKey).set("ComputerName", name, "String");
    },
  });
}
