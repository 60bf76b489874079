import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { Pulumi } from "../../../cli/engine/pulumi.ts";
import { printAbove } from "../../../cli/progress.ts";
import { inNewFolder } from "../new-folder.ts";

/** An engine that writes more than a pipe holds, with a token in it. */
const engine = `#!/bin/sh
i=0
while [ $i -lt 3000 ]; do echo "line $i of the engine, as long as lines of a real one are"; i=$((i + 1)); done
echo "token: eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJrdWJlIn0.c2lnbmF0dXJlLWlzLWhlcmU" >&2
`;

describe("what the engine writes, while a table is at the bottom of the terminal", () => {
  const at = inNewFolder();
  after(() => printAbove(undefined));

  it("comes above it, whole and without secrets, and goes to the log as well", async () => {
    await writeFile(at("engine"), engine);
    await chmod(at("engine"), 0o755);
    const [above, logged]: [string[], string[]] = [[], []];
    printAbove((line) => above.push(line));
    const workplace = { project: at(), program: at("engine"), environment: process.env };
    const pulumi = new Pulumi("dev", { ...workplace, lockFolder: at("locks") });
    await pulumi.operation({ args: ["preview"], onLine: (line) => logged.push(line) });
    assert.equal(above.length, 3001);
    assert.deepEqual(above.toSorted(), logged.toSorted());
    assert.ok(above.includes("line 2999 of the engine, as long as lines of a real one are"));
    assert.ok(!above.some((line) => line.includes("eyJhbGci")));
  });
});
