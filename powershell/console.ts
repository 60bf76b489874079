/** Runs a script as `powershell.exe -File` does: `console.ts FILE ARGUMENTS`. */
import { fileCmdlets } from "./cmdlets/files.ts";
import { jsonCmdlets } from "./cmdlets/json.ts";
import { objectCmdlets, shown } from "./cmdlets/objects.ts";
import "./dotnet/collections.ts";
import "./dotnet/exceptions.ts";
import { defineFileTypes } from "./dotnet/files.ts";
import { version } from "./dotnet/numbers.ts";
import { defineProcessTypes } from "./dotnet/processes.ts";
import { defineRegexTypes } from "./dotnet/strings.ts";
import { defineSystemTypes } from "./dotnet/system.ts";
import { defineTimeTypes } from "./dotnet/time.ts";
import type { DriveProviders } from "./cmdlets/items.ts";
import type { Edition } from "./edition.ts";
import type { Host } from "./host.ts";
import { Interpreter, type InterpreterOptions } from "./interpreter.ts";
import { nodeHost } from "./node-host.ts";
import { hashtable, types as coreTypes, Types } from "./types.ts";
import { Hashtable, Unsupported, type Value } from "./values.ts";

export interface Machine extends Partial<Pick<InterpreterOptions, "cmdlets" | "mayCall">> {
  /** Default: Desktop, which is Windows PowerShell 5.1. */
  readonly edition?: Edition;
  /** Drives other than those of files. */
  readonly providers?: DriveProviders;
  /** Types besides the general ones. */
  readonly types?: Types;
}

/** An interpreter with all general cmdlets and types, and those of a machine. */
export function newInterpreter(host: Host, machine: Machine = {}): Interpreter {
  const { edition = "Desktop", types = new Types(coreTypes), providers, cmdlets = [] } = machine;
  defineTimeTypes(types, host);
  defineFileTypes(types, host, edition);
  defineSystemTypes(types, host);
  defineProcessTypes(types, host);
  const versions = new Hashtable(hashtable);
  versions.set("PSVersion", version(edition === "Core" ? "7.6.5" : "5.1.20348.1"));
  versions.set("PSEdition", edition);
  const general = [...objectCmdlets, ...fileCmdlets(edition, providers), ...jsonCmdlets(edition)];
  const interpreter = new Interpreter({
    ...machine,
    host,
    types,
    variables: { PSVersionTable: versions },
    cmdlets: [...general, ...cmdlets],
  });
  defineRegexTypes(types, interpreter);
  return interpreter;
}

async function main(): Promise<number> {
  const [file = "", ...args] = process.argv.slice(2);
  const host = nodeHost({});
  const edition = process.env["KINDOWS_POWERSHELL_EDITION"] === "Core" ? "Core" : "Desktop";
  const show = (value: Value) => host.output(shown(value));
  try {
    return await newInterpreter(host, { edition }).runFile(host.files.resolve(file), args, show);
  } catch (error) {
    if (!(error instanceof Unsupported)) {
      throw error;
    }
    host.error(`${error.message}\n`);
    return 70;
  }
}

if (/powershell.console\.ts$/.test(process.argv[1] ?? "")) {
  process.exitCode = await main();
}
