/**
 * Windows' event logs: each boot is in one, and nothing else.
 *
 * Source: https://learn.microsoft.com/powershell/module/microsoft.powershell.diagnostics/get-winevent.
 */
import type { Cmdlet } from "../../powershell/commands.ts";
import { toItems, toText } from "../../powershell/convert.ts";
import { toDateTime } from "./time-types.ts";
import * as is from "../../powershell/types.ts";
import { raised } from "../../powershell/types.ts";
import { CustomObject, type Hashtable } from "../../powershell/values.ts";
import type { WindowsHost } from "../host/windows-host.ts";

/** EventLog: the service has started. */
const started = 6005;

export function eventCmdlets({ programs }: WindowsHost): readonly Cmdlet[] {
  return [
    {
      name: "Get-WinEvent",
      implementation: "Microsoft.PowerShell.Commands.GetWinEventCommand",
      parameters: {
        FilterHashtable: { type: "hashtable", mandatory: true },
        MaxEvents: { type: "long" },
      },
      async run(call) {
        const filter = call.get("FilterHashtable") as Hashtable;
        const ids = toItems(filter.get("Id") ?? null).map(toText);
        if (toText(filter.get("LogName") ?? null) === "System" && ids.includes(String(started))) {
          const { host, types } = call.shell;
          const event = new CustomObject(is.customObject)
            .set("TimeCreated", toDateTime(types, host, programs.bootTime.getTime(), false))
            .set("Id", started)
            .set("Message", "The Event log service was started.");
          await call.emit(event);
          return;
        }
        const message = "No events were found that match the specified selection criteria.";
        const id = "NoMatchingEventsFound";
        await call.fail(raised("System.Exception", message, { id }));
      },
    },
  ];
}
