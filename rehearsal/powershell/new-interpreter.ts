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
import { hashtable, type Types } from "./types.ts";
import { Hashtable } from "./values.ts";

interface Machine extends Partial<Pick<InterpreterOptions, "cmdlets" | "isOwnModule" | "mayCall">> {
  readonly providers: DriveProviders;
  readonly types: Types;
  /** $PSVersionTable.PSVersion. Default: 5.1.20348.1, that of Windows Server 2022. */
  readonly version?: string;
}

export function newInterpreter(host: ScriptHost, machine: Machine): Interpreter {
  const { types, providers, cmdlets = [] } = machine;
  const versions = new Hashtable(hashtable);
  versions.set("PSVersion", version(machine.version ?? "5.1.20348.1"));
  const interpreter = new Interpreter({
    ...machine,
    host,
    variables: { PSVersionTable: versions },
    cmdlets: [...objectCmdlets, ...fileCmdlets(providers), ...jsonCmdlets, ...cmdlets],
  });
  defineRegexTypes(types, interpreter);
  return interpreter;
}
