import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";

import { compilerCaches, removeCompilerCaches } from "../../../cli/cache/compiler-caches.ts";
import { orphaned } from "../../../cli/cache/loaded-images.ts";
import { removeStaleDownloads, unusedFor } from "../../../cli/cache/prune.ts";
import { withLock } from "../../../toolchain/cache-lock.ts";
import { Cache } from "../../../toolchain/cache.ts";
import { newFolder } from "../new-folder.ts";

const now = new Date("2026-11-21T12:00:00Z");
const day = 24 * 3600;

describe("kindows cache prune", () => {
  let cache: Cache;
  beforeEach(() => (cache = new Cache(newFolder())));

  for (const [what, name, age, days, goes] of [
    ["an old part", "0a.part", 31 * day, 30, true],
    ["an old wrong file", "wrong/0a-kubelet.exe", 31 * day, 30, true],
    ["a younger part", "0a.part", 29 * day, 30, false],
    ["any part when all shall go", "0a.part", 61, 0, true],
    ["a part that is being written, even then", "0a.part", 1, 0, false],
  ] as const) {
    it(`${goes ? "removes" : "spares"} ${what}`, async () => {
      const file = path.join(cache.downloadsFolder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, "12345");
      await utimes(file, now, new Date(now.getTime() - age * 1000));
      assert.equal(await removeStaleDownloads(cache, days, now), goes ? 5 : 0);
      assert.equal(existsSync(file), !goes);
    });
  }

  it("has nothing to do where nothing was ever downloaded", async () =>
    assert.equal(await removeStaleDownloads(cache, 0, now), 0));

  async function compiled(): Promise<void> {
    const below = path.join(cache.root, "go/build/00");
    await mkdir(below, { recursive: true });
    await writeFile(path.join(below, "package"), "x".repeat(10_000));
    const [old, newer] = [new Date("2026-01-01"), new Date("2026-02-01")];
    await utimes(below, newer, newer);
    await utimes(path.join(cache.root, "go/build"), old, old);
  }

  it("finds no compiler's caches where nothing was compiled", async () =>
    assert.equal(await compilerCaches(cache), undefined));

  it("takes the compiler's caches, as old as the last thing compiled, as a whole", async () => {
    await compiled();
    const found = (await compilerCaches(cache)) ?? assert.fail();
    assert.deepEqual(found.usedAt, new Date("2026-02-01"));
    assert.ok(found.bytes >= 10_000);
    const said: string[] = [];
    const freed = await removeCompilerCaches(cache, found, (line) => said.push(line));
    assert.equal(freed, found.bytes);
    assert.deepEqual(said, ["removed go, the compiler's caches"]);
    await assert.rejects(stat(path.join(cache.root, "go")), { code: "ENOENT" });
  });

  it("leaves the compiler's caches while something is being built", async () => {
    await compiled();
    const found = (await compilerCaches(cache)) ?? assert.fail();
    await mkdir(path.join(cache.buildingFolder, "tool-0123.77"), { recursive: true });
    const options = { timeoutSeconds: 600, pollMilliseconds: 10, onWait: () => undefined };
    await withLock(cache.lockFile("tool-0123"), options, async () => {
      assert.equal(await removeCompilerCaches(cache, found, () => undefined), 0);
    });
    assert.ok(await stat(path.join(cache.root, "go/build/00/package")));
  });

  it("takes what is not used for so many days", () => {
    const entries = Object.entries({ old: "2026-01-01", new: "2026-01-09" }).map(
      ([address, usedAt]) => ({ address, bytes: 1, seconds: 1, usedAt: new Date(usedAt) }),
    );
    const taken = (days: number): string[] =>
      unusedFor(days, entries, new Date("2026-01-10")).map(({ address }) => address);
    assert.deepEqual([taken(0), taken(5), taken(30)], [["old", "new"], ["old"], []]);
  });

  it("takes images from Docker that the cache does not hold, and nobody else's", () => {
    const [held, stale] = [
      "kindest/node:kindows-05b6393c6ccd",
      "kindest/node:kindows-babaee97ff76",
    ];
    const addresses = ["node-image-05b6393c6ccda678", "kind-babaee97ff7608a6"];
    assert.deepEqual(orphaned([held, stale, "kindest/node:v1.36.4", ""], addresses), [stale]);
  });
});
