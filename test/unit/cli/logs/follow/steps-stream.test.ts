import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { beginUpLog } from "../../../../../cli/engine/up-log.ts";
import { chooseStreams } from "../../../../../cli/logs/follow/choose-streams.ts";
import { followAll } from "../../../../../cli/logs/follow/follow-all.ts";
import type { LogStream } from "../../../../../cli/logs/follow/source.ts";
import { stepsStream } from "../../../../../cli/logs/follow/steps-stream.ts";
import { waitUntil } from "../../../../../toolchain/wait-until.ts";

const time = new Date("2026-11-22T11:32:38.000Z");

describe("following the steps of `up`", () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "kindows-steps-"));
    file = path.join(folder, "stack", "up.log");
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("says that there was none, shows one that runs, and the next one", async () => {
    const end = new AbortController();
    const lines: string[] = [];
    const said: string[] = [];
    const ending = followAll({
      streams: [stepsStream(file)],
      tail: 10,
      lookSeconds: 0.02,
      pauseSeconds: 0.02,
      waitSeconds: 600,
      signal: end.signal,
      out: (line) => lines.push(line),
      say: (line) => said.push(line),
    });
    const until = (holds: () => boolean): Promise<void> =>
      waitUntil({ what: "it", timeoutSeconds: 300, pollMilliseconds: 10 }, () =>
        Promise.resolve(holds() ? undefined : JSON.stringify({ lines, said })),
      );
    await until(() => said.length === 1);
    const first = await beginUpLog(file, () => time);
    first.write("+ \u001b[32mcreating\u001b[0m win-1");
    first.write("");
    await until(() => lines.length === 1);
    await first.close();
    const second = await beginUpLog(file, () => new Date(time.getTime() + 60_000));
    second.write("no change");
    await second.close();
    await until(() => lines.length === 2);
    end.abort();
    assert.deepEqual(await ending, ["ended"]);
    assert.deepEqual(lines, [
      "[steps] 2026-11-22T11:32:38.000Z + creating win-1",
      "[steps] 2026-11-22T11:33:38.000Z no change",
    ]);
    assert.deepEqual(said, [
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
  const [plane, pods, win, steps] = ["plane", "pods", "win-1", "steps"].map(stream) as [
    LogStream,
    ...LogStream[],
  ];
  const all = new Map<string, readonly LogStream[]>([
    ["control-plane", [plane, pods as LogStream]],
    ["win-1", [win as LogStream]],
    ["steps", [steps as LogStream]],
  ]);
  const cases: readonly (readonly [readonly string[], unknown])[] = [
    [[], { streams: [plane, pods, win, steps] }],
    [["steps", "win-1", "steps"], { streams: [steps, win] }],
    [["control-plane"], { streams: [plane, pods] }],
    [["win-1", "win-9", "x"], { unknown: ["win-9", "x"] }],
  ];
  for (const [names, choice] of cases) {
    it(names.join(" ") || "everything", () => {
      assert.deepEqual(chooseStreams(all, names), choice);
    });
  }
});
