/**
 * The machine's clock and time zone. The zone is only stored: local time is always UTC, and any name is accepted.
 *
 * Sources: https://learn.microsoft.com/powershell/module/microsoft.powershell.utility/set-date,
 * https://learn.microsoft.com/powershell/module/microsoft.powershell.management (Get-TimeZone, Set-TimeZone).
 */
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import { fromDateTime } from "./time-types.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";
import { object } from "./objects.ts";

/** Windows stores the time zone in the value TimeZoneKeyName of this key. */
const zoneKey = "SYSTEM\\CurrentControlSet\\Control\\TimeZoneInformation";

export function clockCmdlets({ programs, registry }: WindowsMachine): readonly Cmdlet[] {
  return cmdlets({
    async "Set-Date [-Date] <datetime>"(call) {
      const date = call.get("Date") ?? null;
      await programs.setClock(new Date(fromDateTime(date, call.shell.host.clock)));
      await call.emit(date);
    },
    "Get-TimeZone": (call) =>
      call.emit(object({ Id: registry.make(zoneKey).get("TimeZoneKeyName") ?? "UTC" })),
    "Set-TimeZone -Id <string>": (call) =>
      registry.make(zoneKey).set("TimeZoneKeyName", call.text("Id") ?? "", "String"),
  });
}
