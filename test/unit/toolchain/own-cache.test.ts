import assert from "node:assert/strict";
import { chmod, chown, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import { removeLoadedImages } from "../../../cli/cache/prune.ts";
import { markerName, writeMarker } from "../../../toolchain/cache-marker.ts";
import { Cache } from "../../../toolchain/cache.ts";
import { removeCompilerCaches } from "../../../toolchain/compiler-caches.ts";
import { assertOnlyOurs, loadedFolder, ownCache } from "../../../toolchain/own-cache.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { runKindows } from "../cli/run-kindows.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";

describe("a folder that KINDOWS_CACHE names", () => {
  const at = inNewFolder();
  afterEach(() => rm(at("cache"), { recursive: true, force: true }));
  /** What somebody has in it, in folders that a cache has too. */
  const files = ["artifacts/thesis/a", "building/plans/b", "partial/novel/c", "downloads/old/d"];
  const all = [...files, "go/src/my-project/e"];

  async function fill(...more: readonly string[]): Promise<void> {
    for (const name of [...all, ...more]) {
      await mkdir(path.dirname(at("cache", name)), { recursive: true });
      await writeFile(at("cache", name), name);
    }
  }

  async function assertUntouched(): Promise<void> {
    for (const name of all) assert.equal(await readFile(at("cache", name), "utf8"), name);
  }

  const refused = new RegExp(
    "is no cache of kindows: .*Set KINDOWS_CACHE to a folder that is empty.*touch '.*/cache/.kindows-cache'",
  );

  it("loses nothing to `cache prune` where it is somebody's own", async () => {
    await fill();
    const prune = ["cache", "prune", "--unused-for", "0"];
    const { code, err } = await runKindows(prune, { KINDOWS_CACHE: at("cache") });
    assert.equal(code, 1);
    assert.match(err, refused);
    await assertUntouched();
  });

  const writers: Readonly<Record<string, (cache: Cache) => Promise<unknown>>> = {
    "removing the compiler's caches": (cache) => removeCompilerCaches(cache),
    "building something": (cache) => cache.requireWritable(),
    "building an entry": (cache) => cache.withEntryLock("a-1", 1, () => assert.fail()),
  };
  eachCase("is refused by %s where it is somebody's own", writers, async (write) => {
    await fill();
    await assert.rejects(write(new Cache(at("cache"))), refused);
    await assertUntouched();
  });

  it("is a cache from when it was missing or empty", async () => {
    assert.equal(ownCache(at("new/cache")), at("new/cache"));
    await mkdir(at("cache"));
    ownCache(at("cache"));
    await fill();
    ownCache(at("cache"));
    await removeCompilerCaches(new Cache(at("cache")));
    await assert.rejects(readFile(at("cache/go/src/my-project/e")), { code: "ENOENT" });
  });

  const scripts = { "is missing": [], "is somebody's own": all };
  eachCase("is treated alike by the shell where it %s", scripts, async (there) => {
    if (there.length > 0) await fill();
    const script = path.join(projectRoot, "toolchain/node/cache.sh");
    const { exitCode, stderr } = await execa("sh", ["-euc", `. ${script}; echo "$cache"`], {
      env: { KINDOWS_CACHE: at("cache") },
      reject: false,
    });
    assert.equal(exitCode, there.length > 0 ? 1 : 0);
    if (there.length > 0) assert.match(stderr, refused);
    else assert.equal(await readFile(at("cache", ".kindows-cache"), "utf8"), "");
  });
});

describe("images that were loaded into Docker", () => {
  const at = inNewFolder();

  it("are removed with the cache that loaded them, and not with another one", async () => {
    const docker = `#!/bin/sh\ncase $1 in images) echo f00d ;; *) echo "$*" >> ${at("log")} ;; esac\n`;
    await mkdir(at("bin"));
    await writeFile(at("bin/docker"), docker);
    await chmod(at("bin/docker"), 0o755);
    await writeFile(at("log"), "");
    const loaded = loadedFolder(at("cache"));
    await mkdir(loaded, { recursive: true });
    await writeFile(path.join(loaded, encodeURIComponent("kindest/node:kindows-0123456789ab")), "");
    const { PATH } = process.env;
    process.env["PATH"] = `${at("bin")}:${PATH}`;
    try {
      await removeLoadedImages(new Cache(at("other")), [], () => undefined);
      assert.equal(await readFile(at("log"), "utf8"), "");
      await removeLoadedImages(new Cache(at("cache")), [], () => undefined);
      await removeLoadedImages(new Cache(at("cache")), [], () => undefined);
      assert.equal(await readFile(at("log"), "utf8"), "rmi kindest/node:kindows-0123456789ab\n");
    } finally {
      process.env["PATH"] = PATH;
    }
  });
});

describe("a cache that another user may write to", () => {
  const at = inNewFolder();
  const open: Readonly<Record<string, readonly [folder: string, mode: number, uid?: number]>> = {
    "by its mode": ["a/cache", 0o777],
    "by a folder above it": ["a", 0o777],
    "by its owner": ["a/cache", 0o755, 65534],
    "by the owner of a folder above it": ["a", 0o755, 65534],
  };
  eachCase("is refused, so that none of its programs is run: %s", open, async function (each) {
    const [folder, mode, uid] = each;
    if (uid !== undefined && process.getuid?.() !== 0) return;
    await rm(at("a"), { recursive: true, force: true });
    await mkdir(at("a/cache/artifacts/pulumi-1"), { recursive: true });
    await new Cache(at("a/cache")).state("pulumi-1");
    await chmod(at(folder), mode);
    if (uid !== undefined) await chown(at(folder), uid, uid);
    await assert.rejects(
      new Cache(at("a/cache")).state("pulumi-1"),
      /may write to .*: set KINDOWS_CACHE to a folder that only you can write to/,
    );
  });

  const inside: Readonly<Record<string, readonly [place: string, mode: number, uid?: number]>> = {
    "the entry by its mode": [".", 0o777],
    "the entry by its owner": [".", 0o755, 65534],
    "a folder in it": ["bin", 0o777],
    "a program": ["bin/pulumi", 0o757],
    "a program by its owner": ["bin/pulumi", 0o755, 65534],
    "the record": [markerName, 0o666],
  };
  eachCase("has no program that is run where they may write to %s", inside, async (each) => {
    const [place, mode, uid] = each;
    if (uid !== undefined && process.getuid?.() !== 0) return;
    await rm(at("b"), { recursive: true, force: true });
    const entry = at("b/cache/artifacts/pulumi-1");
    await mkdir(path.join(entry, "bin"), { recursive: true });
    const program = path.join(entry, "bin/pulumi");
    await writeFile(program, "#!/bin/sh\n");
    await chmod(program, place === "bin/pulumi" ? mode : 0o755);
    await writeMarker(entry, "pulumi", 1);
    const cache = new Cache(at("b/cache"));
    if (place !== "bin/pulumi") assert.equal((await cache.state("pulumi-1")).kind, "complete");
    await chmod(path.join(entry, place), mode);
    if (uid !== undefined) await chown(path.join(entry, place), uid, uid);
    const state = await cache.state("pulumi-1");
    assert.match(
      state.kind === "damaged" ? state.damage : state.kind,
      /^another user may write to /,
    );
  });

  it("is not one in a folder like /tmp, nor one that does not exist", async () => {
    await mkdir(at("tmp/cache"), { recursive: true });
    await chmod(at("tmp"), 0o1777);
    assertOnlyOurs(at("tmp/cache"));
    assertOnlyOurs(at("tmp/cache/not/there"));
  });
});
