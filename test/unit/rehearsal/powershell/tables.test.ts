/** One-line scripts of every kind give what a real PowerShell gave, or are refused by name: never anything else. */
import assert from "node:assert/strict";
import { Unsupported } from "../../../../rehearsal/powershell/values.ts";
import { rowInterpreter } from "./interpreted-row.ts";
import { tables } from "./recorded-tables.ts";

/** How many rows are refused, at most. */
const refused: Readonly<Record<string, number>> = {
  as: 143,
  "binary %": 34,
  "binary *": 19,
  "binary +": 85,
  "binary -": 31,
  "binary -band": 232,
  "binary -bor": 248,
  "binary -ceq": 2,
  "binary -contains": 1,
  "binary -eq": 6,
  "binary -f": 126,
  "binary -ge": 17,
  "binary -gt": 2,
  "binary -in": 1,
  "binary -le": 1,
  "binary -lt": 8,
  "binary -ne": 9,
  "binary /": 58,
  binding: 303,
  cast: 170,
  collections: 82,
  errors: 102,
  "files: changes": 46,
  "files: one": 112,
  "files: tree": 41,
  flow: 74,
  formats: 388,
  found: 200,
  fresh: 92,
  "net members": 24,
  nothing: 271,
  parameters: 1,
  paths: 62,
  pipelines: 322,
  precedence: 559,
  regex: 1196,
  results: 21,
  scopes: 75,
  statements: 8,
  "string members": 95,
  unary: 124,
};

const run = rowInterpreter();

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
      assert.equal(different.length, 0, different.join("\n\n"));
      assert.ok(refusals <= (refused[topic] ?? 0), `${String(refusals)} are refused`);
    });
  }
});
