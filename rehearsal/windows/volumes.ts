/**
 * Windows' volumes.
 *
 * Source: https://learn.microsoft.com/powershell/module/storage/write-volumecache.
 */
import type { Cmdlet } from "../../powershell/commands.ts";
import { Unsupported } from "../../powershell/values.ts";
import type { WindowsHost } from "../host/windows-host.ts";

export function volumeCmdlets({ programs, recentWrites }: WindowsHost): readonly Cmdlet[] {
  return [
    {
      name: "Write-VolumeCache",
      parameters: { DriveLetter: { type: "string", position: 0, mandatory: true } },
      run(call) {
        const letter = call.text("DriveLetter") ?? "";
        if (letter.toUpperCase() !== "C") {
          throw new Unsupported(`the volume ${letter}:`);
        }
        recentWrites.allFlushed();
        return programs.flush();
      },
    },
  ];
}
