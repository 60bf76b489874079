import { shown } from "../../../powershell/cmdlets/objects.ts";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { windowsPowerShell } from "../../../rehearsal/windows/powershell.ts";
import { remoteSteps } from "./ssh-client.ts";

/** Runs lines of PowerShell on a machine, behind some of the steps' library; returns what they write to the console. */
export async function runText(
  { windows }: Pick<RehearsalHost, "windows">,
  library: readonly string[],
  text: string,
): Promise<string> {
  const loaded = library.map((name) => `. (Join-Path $PSScriptRoot 'lib\\${name}.ps1')\r\n`);
  const file = `${remoteSteps}\\run-text.ps1`;
  await windows.drive.write(file, loaded.join("") + text);
  let output = "";
  const shell = windowsPowerShell(
    windows,
    {
      output: (part) => void (output += part),
      error: (part) => void (output += part),
      input: () => Promise.resolve(Buffer.alloc(0)),
    },
    () => Promise.resolve(),
  );
  const write = (value: Parameters<typeof shown>[0]): Promise<void> => {
    output += shown(value);
    return Promise.resolve();
  };
  await windows.time.busy(() => shell.runFile(file, [], write));
  return output;
}
