import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { startRehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { stopLeftRunning } from "../../../rehearsal/left-running.ts";

describe("what tests have left running", () => {
  it("is stopped, and reported; what was stopped is not", async () => {
    const start = (hostName: string) => startRehearsalHost({ hostName, authorizedKeys: [] });
    const left = await start("win-1");
    await (await start("win-2")).stop();
    assert.deepEqual(await stopLeftRunning(), ["the rehearsal host win-1"]);
    assert.equal(existsSync(left.driveC), false);
    assert.deepEqual(await stopLeftRunning(), []);
  });
});
