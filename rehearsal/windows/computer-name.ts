/**
 * The machine's name.
 *
 * Source: https://learn.microsoft.com/powershell/module/microsoft.powershell.management/rename-computer.
 */
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import type { MachineState } from "../machine/state.ts";

/** Has the name after the next boot. */
export const nextNameKey = "SYSTEM\\CurrentControlSet\\Control\\ComputerName\\ComputerName";

export function computerNameCmdlets(state: MachineState): readonly Cmdlet[] {
  return cmdlets({
    "Rename-Computer [-NewName] <string> -Force"(call) {
      const name = call.text("NewName") ?? "";
      state.computerName = name;
      state.registry.make(nextNameKey).set("ComputerName", name, "String");
    },
  });
}
