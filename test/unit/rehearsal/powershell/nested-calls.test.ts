/** Calls within each other end somewhere, and what they counted is counted back. */
import assert from "node:assert/strict";
import { newInterpreter } from "../../../../rehearsal/powershell/new-interpreter.ts";
import { types } from "../../../../rehearsal/powershell/types.ts";
import { Unsupported, type Value } from "../../../../rehearsal/powershell/values.ts";
import { nodeHost } from "./node-machine.ts";

/** The script itself is the first of 500. */
const most = 499;

describe("calls within each other", () => {
  const host = nodeHost({
    output: () => undefined,
    error: () => undefined,
    input: () => Promise.resolve(Buffer.alloc(0)),
  });
  const interpreter = newInterpreter(host, { types, providers: () => undefined });
  const run = async (depth: number): Promise<Value[]> => {
    const values: Value[] = [];
    const script = `function f { param($Left) if ($Left -gt 1) { f ($Left - 1) } else { 'end' } }; f ${depth}`;
    await interpreter.runCommand(script, (value) => void values.push(value));
    return values;
  };

  it("may be 500", async () => {
    assert.deepEqual(await run(most), ["end"]);
  });

  it("are refused beyond that, again and again", async () => {
    for (let time = 0; time < 3; time++) {
      await assert.rejects(run(most + 1), (error) => {
        assert.ok(error instanceof Unsupported);
        assert.match(error.message, /so many calls within each other/);
        return true;
      });
    }
  });

  it("may be as many after that", async () => {
    assert.deepEqual(await run(most), ["end"]);
  });
});
