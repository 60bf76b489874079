import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";

import { compilerCaches } from "../../../cli/cache/entries.ts";
import { orphaned, removeStaleDownloads, unusedFor } from "../../../cli/cache/prune.ts";
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

  it("finds no compiler's caches where nothing was compiled", async () =>
    assert.deepEqual(await compilerCaches(cache), []));

  it("finds the compiler's caches, as old as the last thing compiled", async () => {
    const below = path.join(cache.root, "go/build/00");
    await mkdir(below, { recursive: true });
    await writeFile(path.join(below, "package"), "x".repeat(10_000));
    const [old, newer] = [new Date("2026-01-01"), new Date("2026-02-01")];
    await utimes(below, newer, newer);
    await utimes(path.join(cache.root, "go/build"), old, old);
    const [found] = await compilerCaches(cache);
    assert.deepEqual(found?.usedAt, newer);
    assert.ok(found.bytes >= 10_000);
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
