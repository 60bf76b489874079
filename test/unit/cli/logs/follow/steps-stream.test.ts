import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";

import { beginUpLog } from "../../../../../cli/engine/up-log.ts";
import { chooseStreams, type LogStream } from "../../../../../cli/logs/follow/log-stream.ts";
import { stepsStream } from "../../../../../cli/logs/follow/steps-stream.ts";
import { newFolder } from "../../../new-folder.ts";
import { Following } from "./following.ts";

const time = new Date("2026-11-22T11:32:38.000Z");

describe("following the steps of `up`", () => {
  let file: string;
  beforeEach(() => (file = path.join(newFolder(), "stack", "up.log")));

  it("says that there was none, shows one that runs, and the next one", async () => {
    const log = new Following(stepsStream(file), 10);
    await log.until("that there is none", () => log.said.length === 1);
    const first = await beginUpLog(file, () => time);
    first.write("+ \u001b[32mcreating\u001b[0m win-1");
    first.write("");
    await log.untilLines(1);
    await first.close();
    const second = await beginUpLog(file, () => new Date(time.getTime() + 60_000));
    second.write("no change");
    await second.close();
    await log.untilLines(2);
    assert.deepEqual(await log.stop(), ["ended"]);
    assert.deepEqual(log.lines, [
      "[steps] 2026-11-22T11:32:38.000Z + creating win-1",
      "[steps] 2026-11-22T11:33:38.000Z no change",
    ]);
    assert.deepEqual(log.said, [
      "[steps] no `up` of this clone has written anything; waits for one",
      "[steps] a new `up` has begun",
    ]);
  });

  it("reads what only its owner may read, of the last `up` alone", async () => {
    for (const word of ["one", "two"]) {
      const log = await beginUpLog(file, () => time);
      log.write(word);
      await log.close();
    }
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal(await readFile(file, "utf8"), "2026-11-22T11:32:38.000Z two\n");
  });
});

describe("what is to be followed", () => {
  const stream = (name: string): LogStream => ({ name, follow: () => Promise.resolve("ended") });
  const [plane, pods] = [stream("plane"), stream("pods")];
  const [win, steps] = [stream("win-1"), stream("steps")];
  const all = new Map([
    ["control-plane", [plane, pods]],
    ["win-1", [win]],
    ["steps", [steps]],
  ]);
  const cases: Readonly<Record<string, object>> = {
    "": { streams: [plane, pods, win, steps] },
    "steps win-1 steps": { streams: [steps, win] },
    "control-plane": { streams: [plane, pods] },
    "win-1 win-9 x": { unknown: ["win-9", "x"] },
  };
  for (const [line, choice] of Object.entries(cases)) {
    it(line || "everything", () => {
      assert.deepEqual(chooseStreams(all, line === "" ? [] : line.split(" ")), choice);
    });
  }
});
