/** Runs a script as `powershell.exe -File` does: `console.ts FILE ARGUMENTS`. */
import { fileCmdlets } from "./cmdlets/files.ts";
import { jsonCmdlets } from "./cmdlets/json.ts";
import { objectCmdlets, shown } from "./cmdlets/objects.ts";
import { defineFileTypes } from "./dotnet/files.ts";
import { defineProcessTypes } from "./dotnet/processes.ts";
import { defineSystemTypes } from "./dotnet/system.ts";
import { defineTimeTypes } from "./dotnet/time.ts";
import type { Host } from "./host.ts";
import { Interpreter, type InterpreterOptions } from "./interpreter.ts";
import { nodeHost } from "./node-host.ts";
import { types as coreTypes, Types } from "./types.ts";
import { Unsupported } from "./values.ts";

export type Edition = "Desktop" | "Core";

/** An interpreter with all general cmdlets and types. */
export function newInterpreter(
  host: Host,
  edition: Edition = "Desktop",
  more: Partial<Pick<InterpreterOptions, "cmdlets" | "onStatement">> = {},
): Interpreter {
  const types = new Types(coreTypes);
  defineTimeTypes(types, host);
  defineFileTypes(types, host);
  defineSystemTypes(types, host);
  defineProcessTypes(types, host);
  return new Interpreter({
    ...more,
    host,
    types,
    cmdlets: [...objectCmdlets, ...fileCmdlets, ...jsonCmdlets(edition), ...(more.cmdlets ?? [])],
  });
}

async function main(): Promise<void> {
  const [file = "", ...args] = process.argv.slice(2);
  const host = nodeHost({});
  const edition = process.env["KINDOWS_POWERSHELL_EDITION"] === "Core" ? "Core" : "Desktop";
  try {
    process.exitCode = await newInterpreter(host, edition).runFile(host.files.resolve(file), args, (value) => {
      host.output(value === null ? "\n" : shown(value));
      return Promise.resolve();
    });
  } catch (error) {
    if (!(error instanceof Unsupported)) {
      throw error;
    }
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 70;
  }
}

if (process.argv[1] === import.meta.filename) {
  await main();
}
