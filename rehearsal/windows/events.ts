/**
 * Windows' event logs, which only contain the event of the last boot.
 *
 * Source: https://learn.microsoft.com/powershell/module/microsoft.powershell.diagnostics/get-winevent.
 */
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import { toItems, toText } from "../powershell/convert.ts";
import { toDateTime, toTicks } from "./time-types.ts";
import type { Hashtable } from "../powershell/values.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";
import { object, refuse } from "./objects.ts";

/** Id of the event that the event log service has started, which happens at boot. */
const started = 6005;

export function eventCmdlets({ programs }: WindowsMachine): readonly Cmdlet[] {
  return cmdlets(
    {
      "Get-WinEvent -FilterHashtable <hashtable> [-MaxEvents <long>]"(call) {
        const filter = call.get("FilterHashtable") as Hashtable;
        const ids = toItems(filter.get("Id") ?? null).map(toText);
        if (toText(filter.get("LogName") ?? null) === "System" && ids.includes(String(started))) {
          const { host, types } = call.shell;
          const TimeCreated = toDateTime(types, host, toTicks(programs.bootTime.getTime()), false);
          const Message = "The Event log service was started.";
          return call.emit(object({ TimeCreated, Id: started, Message }));
        }
        const message = "No events were found that match the specified selection criteria.";
        return refuse(call, message, "NoMatchingEventsFound", "System.Exception");
      },
    },
    "Microsoft.PowerShell.Commands",
  );
}
