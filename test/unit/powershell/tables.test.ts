/** One-line scripts of every kind give what a real PowerShell gave, or are refused by name: never anything else. */
import assert from "node:assert/strict";
import { toText } from "../../../powershell/convert.ts";
import { scripts } from "../../../powershell/interpreter.ts";
import { newInterpreter } from "../../../powershell/new-interpreter.ts";
import { parse } from "../../../powershell/parser.ts";
import { scriptOf, visit } from "../../../powershell/subset.ts";
import type { ScriptBody } from "../../../powershell/syntax.ts";
import { types as coreTypes, Types } from "../../../powershell/types.ts";
import { Unsupported } from "../../../powershell/values.ts";
import { fileItems } from "../../../rehearsal/windows/file-items.ts";
import { defineMachineTypes } from "../../../rehearsal/windows/machine-types.ts";
import { newFolder } from "../new-folder.ts";
import { nodeHost } from "./node-machine.ts";
import { defineRecordedMembers } from "./recorded-members.ts";
import { frame, tables } from "./recorded-tables.ts";

/** Topics that have rows which give something else, and at most how many. All others have none. */
const unclean: Readonly<Record<string, number>> = {
  collections: 5,
  errors: 3,
  "files: one": 3,
  "net members": 2,
  nothing: 6,
  pipelines: 3,
  precedence: 3,
  results: 1,
  statements: 2,
};

/** How many rows are refused, at most. */
const refused: Readonly<Record<string, number>> = {
  as: 143,
  "binary %": 34,
  "binary *": 24,
  "binary +": 85,
  "binary -": 31,
  "binary -band": 232,
  "binary -bor": 248,
  "binary -ceq": 2,
  "binary -contains": 1,
  "binary -eq": 5,
  "binary -f": 126,
  "binary -ge": 11,
  "binary -in": 2,
  "binary -le": 1,
  "binary -lt": 6,
  "binary -ne": 9,
  "binary -notin": 1,
  "binary /": 52,
  binding: 304,
  cast: 147,
  collections: 80,
  errors: 96,
  "files: changes": 46,
  "files: one": 112,
  "files: tree": 41,
  flow: 74,
  formats: 388,
  "net members": 23,
  nothing: 267,
  parameters: 1,
  paths: 62,
  pipelines: 308,
  precedence: 718,
  regex: 1196,
  results: 16,
  scopes: 75,
  statements: 8,
  "string members": 95,
  unary: 124,
};

const machine = nodeHost({
  output: () => undefined,
  error: () => undefined,
  input: () => Promise.resolve(Buffer.alloc(0)),
  folder: newFolder(),
});
const types = new Types(coreTypes);
defineMachineTypes(types, machine);
defineRecordedMembers(types, machine);

/** The frame is parsed once, because that takes longer than a row. */
const framed = parse({ path: "<frame>", text: frame });
const places: { block: ScriptBody }[] = [];
visit(framed, (node) => {
  if (node.kind === "ScriptBlockLiteral" && node.block.statements.length === 0) places.push(node);
});

/** What a row gives, or how it is refused. */
async function run(text: string): Promise<string | Unsupported> {
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
    return error instanceof Unsupported ? error : `${lines.join("\n")} ends with ${String(error)}`;
  } finally {
    scripts.delete(text);
  }
  return lines.join("\n");
}

describe("tables of scripts that a real PowerShell has run", () => {
  for (const [topic, rows] of tables()) {
    it(`${topic}: gives the same, or is refused by name`, async () => {
      let refusals = 0;
      const different: string[] = [];
      for (const { script, expected } of rows) {
        const got = await run(script);
        if (got instanceof Unsupported) {
          refusals += 1;
          assert.match(got.message, /: the interpreter does not support \S/);
        } else if (got !== expected) {
          different.push(`${script}\n${got}\ninstead of\n${expected}`);
        }
      }
      assert.ok(different.length <= (unclean[topic] ?? 0), different.join("\n\n"));
      assert.ok(refusals <= (refused[topic] ?? 0), `${String(refusals)} are refused`);
    });
  }
});
