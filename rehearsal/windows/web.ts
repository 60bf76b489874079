/**
 * Requests of HTTP: those with which scripts find out in which cloud they are. This machine is in none.
 *
 * Source: https://learn.microsoft.com/powershell/module/microsoft.powershell.utility/invoke-restmethod.
 */
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import { raised, type Types } from "../powershell/types.ts";
import { terminating } from "../powershell/errors.ts";
import { Unsupported } from "../powershell/values.ts";

const failure = "System.Net.WebException";

/** Where clouds tell their machines about themselves. */
const metadataServers = /^http:\/\/(169\.254\.169\.254|metadata\.google\.internal)\//;

export function defineWebTypes(types: Types): void {
  // There was no response.
  types.define({
    name: failure,
    base: "System.SystemException",
    properties: { Response: () => null },
  });
}

export function webCmdlets(): readonly Cmdlet[] {
  return cmdlets(
    {
      "Invoke-RestMethod [-Uri] <string> [-Method {GET | PUT}] [-Headers <Collections.IDictionary>] [-UseBasicParsing]"(
        call,
      ) {
        const uri = call.text("Uri") ?? "";
        if (!metadataServers.test(uri)) throw new Unsupported(`Invoke-RestMethod ${uri}`);
        const message = "Unable to connect to the remote server";
        throw terminating(
          raised(call.shell.types.get(failure), message, { id: "WebCmdletWebResponseException" }),
        );
      },
    },
    "Microsoft.PowerShell.Commands",
  );
}
