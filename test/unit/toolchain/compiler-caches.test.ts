import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { Cache } from "../../../toolchain/cache.ts";
import { removeCompilerCaches } from "../../../toolchain/compiler-caches.ts";
import { newFolder } from "../new-folder.ts";

const lockOptions = { timeoutSeconds: 600, pollMilliseconds: 10, onWait: () => undefined };
const nobody = 65534;

describe("the compiler's caches", () => {
  let cache: Cache;
  let module: string;

  /** A module whose folder Go protects, and folders of locks and builds that are there. */
  beforeEach(async () => {
    cache = new Cache(newFolder());
    module = path.join(cache.root, "go/mod/module@v1");
    for (const folder of [module, cache.buildingFolder, path.join(cache.root, "locks")]) {
      await mkdir(folder, { recursive: true });
    }
    await writeFile(path.join(module, "a.go"), "package a", { mode: 0o444 });
    await chmod(module, 0o555);
  });

  const build = (work: () => Promise<unknown>): Promise<unknown> =>
    cache.withEntryLock("tool-0123", lockOptions, () =>
      cache.make("tool-0123", "tool", async (into) => {
        await work();
        await writeFile(path.join(into, "tool"), "");
      }),
    );

  it("are not missed where nothing was compiled", async () =>
    assert.equal(await removeCompilerCaches(new Cache(newFolder())), false));

  it("go as a whole, though their user is not root, with what a killed removal left", async () => {
    await mkdir(path.join(cache.buildingFolder, "go.removed.77/mod"), { recursive: true });
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      await chmod(os.tmpdir(), 0o711);
      await chown(cache.root, nobody, nobody);
      for (const name of await readdir(cache.root, { recursive: true })) {
        await chown(path.join(cache.root, name), nobody, nobody);
      }
      process.seteuid?.(nobody);
    }
    try {
      assert.equal(await removeCompilerCaches(cache), true);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
    assert.deepEqual((await readdir(cache.root, { recursive: true })).sort(), [
      "building",
      "locks",
    ]);
  });

  it("go though a build and a removal were killed", async () => {
    await mkdir(path.join(cache.buildingFolder, "tool-0123.77"));
    const dead = JSON.stringify({ pid: 77, startTicks: "0", bootId: "of another boot" });
    await writeFile(cache.lockFile("tool-0123"), dead);
    await writeFile(cache.lockFile("go"), dead);
    assert.equal(await removeCompilerCaches(cache), true);
  });

  it("stay while something is being built", async () => {
    await build(async () => assert.equal(await removeCompilerCaches(cache), false));
    assert.ok(existsSync(path.join(module, "a.go")));
    assert.equal(await removeCompilerCaches(cache), true);
  });

  it("keep a build waiting while they go", async () => {
    const order: string[] = [];
    let built: Promise<unknown> = Promise.resolve();
    await cache.withEntryLock("go", lockOptions, async () => {
      built = build(() => Promise.resolve(order.push("built")));
      while (!existsSync(cache.lockFile("tool-0123"))) await sleep(1);
      await sleep(20);
      order.push("gone");
    });
    await built;
    assert.deepEqual(order, ["gone", "built"]);
  });
});
