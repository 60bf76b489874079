import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { compilerCaches, removeCompilerCaches } from "../../../../cli/cache/compiler-caches.ts";
import { orphaned } from "../../../../cli/cache/loaded-images.ts";
import { unusedFor } from "../../../../cli/cache/prune.ts";
import { withLock } from "../../../../toolchain/cache-lock.ts";
import { Cache } from "../../../../toolchain/cache.ts";

describe("cache prune", () => {
  let cache: Cache;
  beforeEach(async () => {
    cache = new Cache(await mkdtemp(path.join(tmpdir(), "kindows-cache-")));
  });
  afterEach(() => rm(cache.root, { recursive: true }));

  async function compiled(): Promise<void> {
    const below = path.join(cache.root, "go/build/00");
    await mkdir(below, { recursive: true });
    await writeFile(path.join(below, "package"), "x".repeat(10_000));
    const [old, newer] = [new Date("2026-01-01"), new Date("2026-02-01")];
    await utimes(below, newer, newer);
    await utimes(path.join(cache.root, "go/build"), old, old);
  }

  describe("the compiler's caches", () => {
    it("are none where nothing was compiled", async () => {
      assert.equal(await compilerCaches(cache), undefined);
    });

    it("are as old as the last thing compiled, and go as a whole", async () => {
      await compiled();
      const found = await compilerCaches(cache);
      assert.ok(found);
      assert.deepEqual(found.usedAt, new Date("2026-02-01"));
      assert.ok(found.bytes >= 10_000);
      const said: string[] = [];
      assert.equal(
        await removeCompilerCaches(cache, found, (line) => said.push(line)),
        found.bytes,
      );
      assert.deepEqual(said, ["removed go, the compiler's caches"]);
      await assert.rejects(stat(path.join(cache.root, "go")), { code: "ENOENT" });
    });

    it("stay while something is being built", async () => {
      await compiled();
      const found = await compilerCaches(cache);
      assert.ok(found);
      await mkdir(path.join(cache.buildingFolder, "tool-0123.77"), { recursive: true });
      const options = { timeoutSeconds: 600, pollMilliseconds: 10, onWait: () => undefined };
      await withLock(cache.lockFile("tool-0123"), options, async () => {
        assert.equal(await removeCompilerCaches(cache, found, () => undefined), 0);
      });
      assert.ok(await stat(path.join(cache.root, "go/build/00/package")));
    });
  });

  it("takes what is not used for so many days", () => {
    const entry = (address: string, usedAt: string) => ({
      address,
      bytes: 1,
      seconds: 1,
      usedAt: new Date(usedAt),
    });
    const entries = [entry("old", "2026-01-01"), entry("new", "2026-01-09")];
    const taken = (days: number): string[] =>
      unusedFor(days, entries, new Date("2026-01-10")).map(({ address }) => address);
    assert.deepEqual([taken(0), taken(5), taken(30)], [["old", "new"], ["old"], []]);
  });

  it("takes images from Docker that the cache does not hold, and nobody else's", () => {
    assert.deepEqual(
      orphaned(
        [
          "kindest/node:kindows-05b6393c6ccd",
          "kindest/node:kindows-babaee97ff76",
          "kindest/node:v1.36.4",
          "",
        ],
        ["node-image-05b6393c6ccda678", "kind-babaee97ff7608a6"],
      ),
      ["kindest/node:kindows-babaee97ff76"],
    );
  });
});
