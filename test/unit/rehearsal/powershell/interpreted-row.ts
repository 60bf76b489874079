/** Runs rows of the tables on the interpreter. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { toText } from "../../../../rehearsal/powershell/convert.ts";
import { scripts } from "../../../../rehearsal/powershell/interpreter.ts";
import { newInterpreter } from "../../../../rehearsal/powershell/new-interpreter.ts";
import { parse } from "../../../../rehearsal/powershell/parser.ts";
import { scriptOf, visit } from "../../../../rehearsal/powershell/subset.ts";
import type { ScriptBody } from "../../../../rehearsal/powershell/syntax.ts";
import { types as coreTypes, Types } from "../../../../rehearsal/powershell/types.ts";
import { Unsupported } from "../../../../rehearsal/powershell/values.ts";
import { fileItems } from "../../../../rehearsal/windows/file-items.ts";
import {
  defineMachineTypes,
  type ScriptMachine,
} from "../../../../rehearsal/windows/machine-types.ts";
import { newFolder } from "../../new-folder.ts";
import { nodeHost } from "./node-machine.ts";
import { defineRecordedMembers } from "./recorded-members.ts";
import { frame } from "./recorded-tables.ts";

/** What a row gives, or how it is refused. */
export type InterpretRow = (script: string) => Promise<string | Unsupported>;

/** A machine in an empty folder, and the types that its rows can use. */
export function rowMachine(): {
  readonly machine: ScriptMachine;
  readonly types: Types;
  readonly folder: string;
} {
  const folder = newFolder();
  const machine = nodeHost({
    output: () => undefined,
    error: () => undefined,
    input: () => Promise.resolve(Buffer.alloc(0)),
    folder,
  });
  const types = new Types(coreTypes);
  defineMachineTypes(types, machine);
  defineRecordedMembers(types, machine);
  return { machine, types, folder };
}

/** On a machine of its own. */
export function rowInterpreter(): InterpretRow {
  const { machine, types, folder } = rowMachine();
  // The frame is parsed once, because that takes longer than a row.
  const framed = parse({ path: "<frame>", text: frame });
  const places: { block: ScriptBody }[] = [];
  visit(framed, (node) => {
    if (node.kind === "ScriptBlockLiteral" && node.block.statements.length === 0) places.push(node);
  });
  return async (text) => {
    const lines: string[] = [];
    try {
      const block = parse({ path: "<row>", text });
      places.forEach((place) => (place.block = block));
      scripts.set(text, scriptOf(framed));
      const interpreter = newInterpreter(machine, {
        types,
        providers: (drive) => (drive === "" ? fileItems(machine.files, types) : undefined),
      });
      await interpreter.runCommand(text, (value) => void lines.push(toText(value)));
    } catch (error) {
      return error instanceof Unsupported
        ? error
        : `${lines.join("\n")} ends with ${String(error)}`;
    } finally {
      scripts.delete(text);
      // What one row leaves there, the next one does not find.
      for (const each of readdirSync(folder)) rmSync(join(folder, each), { recursive: true });
    }
    return lines.join("\n");
  };
}
