import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import { newFolder } from "../new-folder.ts";

describe("the logs of a hosted run", () => {
  it("are texts and pictures of the cache's logs; neither an ISO, nor a disk, nor a key", async () => {
    const [cache, into] = [newFolder(), path.join(newFolder(), "logs")];
    await mkdir(path.join(cache, "logs/a.screens"), { recursive: true });
    await mkdir(path.join(cache, "artifacts"), { recursive: true });
    for (const name of ["a.log", "a.screens/0001.png", "a.iso", "a.qcow2", "ssh_key.txt"]) {
      await writeFile(path.join(cache, "logs", name), "x");
    }
    await writeFile(path.join(cache, "artifacts/b.log"), "x");
    await execa("test/hosted/collect-logs.sh", [into], { env: { KINDOWS_CACHE: cache } });
    const found = await readdir(path.join(into, "image"), { recursive: true });
    assert.deepEqual(found.sort(), ["a.log", "a.screens", "a.screens/0001.png"]);
  });
});

describe("room on a runner", () => {
  for (const env of [
    {},
    { GITHUB_ACTIONS: "true" },
    { GITHUB_ACTIONS: "true", RUNNER_ENVIRONMENT: "self-hosted" },
  ]) {
    it(`is made nowhere else: ${JSON.stringify(env)}`, async () => {
      const clean = { GITHUB_ACTIONS: "", RUNNER_ENVIRONMENT: "", ...env };
      const { exitCode, stderr } = await execa("test/hosted/make-room.sh", [], {
        env: clean,
        reject: false,
      });
      assert.equal(exitCode, 1);
      assert.match(stderr, /nothing was removed/);
    });
  }
});
