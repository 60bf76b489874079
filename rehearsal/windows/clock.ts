/**
 * The machine's clock.
 *
 * Source: https://learn.microsoft.com/powershell/module/microsoft.powershell.utility/set-date.
 */
import type { Cmdlet } from "../../powershell/commands.ts";
import { fromDateTime } from "./time-types.ts";
import type { WindowsHost } from "../host/windows-host.ts";

export function clockCmdlets({ programs }: WindowsHost): readonly Cmdlet[] {
  return [
    {
      name: "Set-Date",
      parameters: { Date: { type: "datetime", position: 0, mandatory: true } },
      async run(call) {
        const date = call.get("Date") ?? null;
        await programs.setClock(new Date(fromDateTime(date, call.shell.host.clock)));
        await call.emit(date);
      },
    },
  ];
}
