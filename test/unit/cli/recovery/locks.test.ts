import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { judgeLock, readLocks } from "../../../../cli/recovery/locks.ts";
import type { SeenProcess, Verdict } from "../../../../cli/recovery/locks.ts";
import { seenProcess } from "../../../../cli/recovery/seen-process.ts";
import { newFolder } from "../../new-folder.ts";

const timestamp = new Date("2026-11-21T11:48:10Z");
const lock = { pid: 2034, username: "root", hostname: "here", timestamp };
/** A process that was started so many milliseconds after the lock was written. */
const started = (program: string, after: number): SeenProcess => ({
  program,
  startedAt: new Date(timestamp.getTime() + after),
});

const cases: Readonly<Record<string, readonly [string, SeenProcess | undefined, Verdict]>> = {
  "no such process": ["here", undefined, "dead"],
  "the engine, started before": ["here", started("pulumi", -1000), "alive"],
  "an engine within the clock's grain": ["here", started("pulumi", 900), "alive"],
  "a later engine with the number": ["here", started("pulumi", 710_000), "dead"],
  "another program with the number": ["here", started("bash", -1000), "dead"],
  "a lock of another host": ["there", undefined, "elsewhere"],
  "another host, same number": ["there", started("pulumi", -1000), "elsewhere"],
};

describe("the engine's lock", () => {
  for (const [name, [hostname, found, verdict]] of Object.entries(cases)) {
    it(`${name}: ${verdict}`, () => assert.equal(judgeLock(lock, hostname, found), verdict));
  }

  describe("files", () => {
    let folder: string;
    beforeEach(() => (folder = newFolder()));

    it("are read; attributes beside them are not locks", async () => {
      await writeFile(path.join(folder, "a.json"), JSON.stringify(lock));
      await writeFile(path.join(folder, "a.json.attrs"), "{}");
      assert.deepEqual(await readLocks(folder, "here"), [lock]);
    });

    it("half-written by a killed engine are dead locks of this host", async () => {
      await writeFile(path.join(folder, "a.json"), '{"pid":12');
      const [found] = await readLocks(folder, "here");
      assert.ok(found);
      assert.equal(judgeLock(found, "here", undefined), "dead");
    });

    it("of a stack that was never locked are none", async () =>
      assert.deepEqual(await readLocks(path.join(folder, "none"), "here"), []));
  });
});

describe("a running process", () => {
  it("is seen with its program and start", async () => {
    const seen = await seenProcess(process.pid);
    assert.ok(seen);
    const started = Date.now() - process.uptime() * 1000;
    assert.ok(Math.abs(seen.startedAt.getTime() - started) < 60_000);
    assert.notEqual(seen.program, "");
  });

  it("is not seen when there is none", async () =>
    assert.equal(await seenProcess(2 ** 22 + 1), undefined));
});
