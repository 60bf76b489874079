/** Creates an interpreter with the general cmdlets and types, plus those of a machine. */
import { fileCmdlets } from "./cmdlets/files.ts";
import { jsonCmdlets } from "./cmdlets/json.ts";
import { objectCmdlets } from "./cmdlets/objects.ts";
import "./dotnet/exceptions.ts";
import { version } from "./dotnet/numbers.ts";
import { defineRegexTypes } from "./dotnet/strings.ts";
import type { DriveProviders } from "./cmdlets/items.ts";
import type { ScriptHost } from "./host.ts";
import { Interpreter, type InterpreterOptions } from "./interpreter.ts";
import { types as coreTypes, type Types } from "./types.ts";
import { NetObject, Unsupported, type Value } from "./values.ts";

const versionTable = coreTypes.define({
  name: "System.Management.Automation.PSVersionHashTable",
  properties: { PSVersion: ({ state }: NetObject<Value>) => state },
  enumerate: () => {
    throw new Unsupported("$PSVersionTable but for its .PSVersion");
  },
});

interface Machine extends Partial<Pick<InterpreterOptions, "cmdlets" | "isOwnModule" | "mayCall">> {
  readonly providers: DriveProviders;
  readonly types: Types;
  /** $PSVersionTable.PSVersion. Default: 5.1.20348.1, that of Windows Server 2022. */
  readonly version?: string;
}

export function newInterpreter(host: ScriptHost, machine: Machine): Interpreter {
  const { types, providers, cmdlets = [] } = machine;
  const versions = new NetObject(versionTable, version(machine.version ?? "5.1.20348.1"));
  const interpreter = new Interpreter({
    ...machine,
    host,
    variables: { PSVersionTable: versions },
    cmdlets: [...objectCmdlets, ...fileCmdlets(providers), ...jsonCmdlets, ...cmdlets],
  });
  defineRegexTypes(types, interpreter);
  return interpreter;
}
