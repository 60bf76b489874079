import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import {
  chmod,
  chown,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { Artifact } from "../../../toolchain/artifact.ts";
import { markerName } from "../../../toolchain/cache-marker.ts";
import { artifactAddress, Cache } from "../../../toolchain/cache.ts";
import { removeCompilerCaches } from "../../../toolchain/compiler-caches.ts";
import { checkArtifacts, ensureArtifacts, longestChainFirst } from "../../../toolchain/ensure.ts";
import { digestOfFile } from "../../../toolchain/file-digest.ts";
import { thisProcess } from "../../../toolchain/owner.ts";
import { removeTree } from "../../../toolchain/read-only.ts";
import { ownCache } from "../../../toolchain/own-cache.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import { cacheRoot } from "../../../toolchain/own-cache.ts";

interface Counted extends Artifact {
  builds: number;
}

/** An artifact of two files and a link that counts how often it was built. */
function counted(name: string, needs: readonly Artifact[] = [], version = "1"): Counted {
  const artifact: Counted = {
    name,
    builds: 0,
    needs,
    hostPackages: [],
    inputs: () => Promise.resolve({ version }),
    build: async (into, context) => {
      artifact.builds += 1;
      for (const needed of needs) await readFile(path.join(context.path(needed), "tool"));
      await mkdir(path.join(into, "lib"));
      await writeFile(path.join(into, "lib", "data"), `data of ${name}`);
      await writeFile(path.join(into, "tool"), `tool ${name}`, { mode: 0o755 });
      await symlink("tool", path.join(into, "alias"));
    },
  };
  return artifact;
}

describe("artifact cache", () => {
  let root: string;
  let cache: Cache;
  const lines: string[] = [];
  const ensure = (...artifacts: readonly Artifact[]): ReturnType<typeof ensureArtifacts> =>
    ensureArtifacts(artifacts, { cache, progress: (line) => lines.push(line) });

  beforeEach(() => {
    root = newFolder();
    cache = new Cache(ownCache(root));
    lines.length = 0;
  });

  /** As somebody who may read the cache and not write to it; root may always write. */
  async function withoutWriting<T>(work: () => Promise<T>): Promise<T> {
    const folders = [root, ...(await readdir(root)).map((name) => path.join(root, name))];
    // Where folders of tests are is nobody else's to see.
    await chmod(os.tmpdir(), 0o711);
    await Promise.all(folders.map((folder) => chmod(folder, 0o555)));
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.("nobody");
    try {
      return await work();
    } finally {
      if (isRoot) process.seteuid?.(0);
      await Promise.all(folders.map((folder) => chmod(folder, 0o755)));
    }
  }

  it("reports a read-only cache and the remedy before anything is built", async () => {
    const artifact = counted("a");
    const message = `the cache ${root} can't be written to (EACCES): set KINDOWS_CACHE to a folder that can`;
    const ensuring = withoutWriting(() => ensure(artifact));
    await assert.rejects(ensuring, { message });
    assert.equal(artifact.builds, 0);
    assert.deepEqual(lines, []);
  });

  it("serves finished entries from a read-only cache", async () => {
    const artifact = counted("a");
    await ensure(artifact);
    const file = path.join(os.tmpdir(), "digested");
    await writeFile(file, "large");
    await withoutWriting(async () => {
      await ensure(artifact);
      assert.match(await digestOfFile(file, cache), /^[0-9a-f]{64}$/);
    });
    assert.equal(artifact.builds, 1);
  });

  describe("root", () => {
    const home = `${os.homedir()}/.cache/kindows`;
    const cases: Readonly<Record<string, readonly [NodeJS.ProcessEnv, string]>> = {
      "its own variable first": [{ KINDOWS_CACHE: "/c", XDG_CACHE_HOME: "/x" }, "/c"],
      "then the XDG folder": [{ XDG_CACHE_HOME: "/x" }, "/x/kindows"],
      "else the home folder": [{}, home],
    };
    eachCase("%s", cases, ([environment, expected]) =>
      assert.equal(cacheRoot(environment), expected),
    );
    it("rejects a relative path of its own variable", () =>
      assert.throws(() => cacheRoot({ KINDOWS_CACHE: "c" }), /KINDOWS_CACHE is "c"/));
  });

  describe("address", () => {
    it("changes with the name, an input and a need, and with nothing else", async () => {
      const base = await artifactAddress(counted("a", [counted("b")]));
      assert.equal(await artifactAddress(counted("a", [counted("b")])), base);
      const others = [
        counted("c", [counted("b")]),
        counted("a", [counted("b")], "2"),
        counted("a", [counted("b", [], "2")]),
        counted("a"),
      ];
      for (const other of others) assert.notEqual(await artifactAddress(other), base);
    });
  });

  it("builds once and prints nothing the second time", async () => {
    const artifact = counted("a");
    const first = await ensure(artifact);
    assert.equal(await readFile(path.join(first.path(artifact), "alias"), "utf8"), "tool a");
    assert.match(lines.join("\n"), /^a: start \([0-9.]+ s\)\na: done \([0-9.]+ s\)$/);
    lines.length = 0;
    await ensure(artifact);
    assert.equal(artifact.builds, 1);
    assert.deepEqual(lines, []);
  });

  it("builds dependencies first, each once", async () => {
    const base = counted("base");
    const left = counted("left", [base]);
    const top = counted("top", [left, counted("right", [base])]);
    await ensure(top, left);
    assert.deepEqual([base.builds, left.builds, top.builds], [1, 1, 1]);
  });

  it("does not build what only a finished artifact needs", async () => {
    const base = counted("base");
    const top = counted("top", [base]);
    await ensure(top);
    await cache.remove(await artifactAddress(base));
    await ensure(top);
    assert.deepEqual([base.builds, top.builds], [1, 1]);
    await cache.remove(await artifactAddress(top));
    await ensure(top);
    assert.deepEqual([base.builds, top.builds], [2, 2]);
  });

  describe("notices a damaged entry and makes it again", () => {
    const damages: Readonly<Record<string, readonly [(f: string) => Promise<void>, RegExp]>> = {
      "no marker": [(f) => rm(path.join(f, markerName)), /is missing or unreadable/],
      "marker cut short": [(f) => truncate(path.join(f, markerName), 20), /missing or unreadable/],
      "file gone": [(f) => rm(path.join(f, "tool")), /tool is missing/],
      "file cut short": [(f) => truncate(path.join(f, "lib/data"), 3), /data has another size/],
      "other content, same size": [(f) => writeFile(path.join(f, "tool"), "TOOL a"), /content/],
      "link to elsewhere": [
        async (f) => {
          await rm(path.join(f, "alias"));
          await symlink("lib/data", path.join(f, "alias"));
        },
        /alias is not the link it was/,
      ],
      "folder instead of a file": [
        async (f) => {
          await rm(path.join(f, "tool"));
          await mkdir(path.join(f, "tool"));
        },
        /tool has another size/,
      ],
    };
    eachCase("%s", damages, async ([damage, message]) => {
      const artifact = counted("a");
      const folder = (await ensure(artifact)).path(artifact);
      // Not within the clock tick of the build, where a file system may give the same time again.
      await utimes(path.join(folder, "tool"), new Date(0), new Date(0));
      await ensure(artifact);
      assert.equal(artifact.builds, 1);
      await damage(folder);
      lines.length = 0;
      await ensure(artifact);
      assert.equal(artifact.builds, 2);
      assert.match(lines[0] ?? "", message);
      assert.equal(await readFile(path.join(folder, "tool"), "utf8"), "tool a");
    });
  });

  it("redoes a half-made build and removes what a killed one left", async () => {
    const artifact = counted("a");
    const address = await artifactAddress(artifact);
    await mkdir(path.join(cache.buildingFolder, `${address}.99999`), { recursive: true });
    await writeFile(path.join(cache.buildingFolder, `${address}.99999`, "tool"), "half");
    await ensure(artifact);
    assert.equal(artifact.builds, 1);
    assert.deepEqual(await readdir(cache.buildingFolder), []);
  });

  it("leaves no entry behind when a build fails, and shows the log's tail", async () => {
    const broken: Artifact = {
      ...counted("broken"),
      build: async (into, context) => {
        await writeFile(path.join(into, "tool"), "half");
        await writeFile(context.logFile, "compiling\nundefined: x\n");
        throw new Error("the compiler gave up");
      },
    };
    const above = counted("above", [broken]);
    const message = /broken could not be made .*gave up\ncompiling\nundefined: x/;
    await assert.rejects(ensure(above), message);
    assert.equal(above.builds, 0);
    assert.deepEqual(await cache.state(await artifactAddress(broken)), { kind: "missing" });
  });

  it("refuses artifacts that need each other, and two of one name", async () => {
    const needs: Artifact[] = [];
    const a = counted("a", needs);
    needs.push(counted("b", [a]));
    await assert.rejects(ensure(a), /a -> b -> a/);
    await assert.rejects(ensure(counted("c"), counted("c")), /two artifacts are called c/);
  });

  it("requests space and host packages once, only for missing artifacts", async () => {
    const asked: unknown[] = [];
    const one = { ...counted("one"), hostPackages: ["xorriso", "debootstrap"] };
    const two = { ...counted("two"), hostPackages: ["debootstrap"] };
    const ensurePackages = (packages: readonly string[]) =>
      Promise.resolve(void asked.push(packages));
    const ensureRoom = (missing: readonly Artifact[]) =>
      Promise.resolve(void asked.push(missing.map(({ name }) => name)));
    const options = { cache, progress: () => undefined, ensurePackages, ensureRoom };
    assert.deepEqual(await checkArtifacts([two, one], cache), ["debootstrap", "xorriso"]);
    await ensureArtifacts([one, two], options);
    await ensureArtifacts([one, two], options);
    assert.deepEqual(await checkArtifacts([one, two], cache), []);
    assert.deepEqual(asked, [
      ["one", "two"],
      ["debootstrap", "xorriso"],
    ]);
  });

  it("starts the longest chain first", () => {
    const taking = (name: string, seconds?: number, ...needs: readonly Artifact[]): Artifact => ({
      ...counted(name, needs),
      seconds,
    });
    const [base, quick, long] = [taking("base", 20), taking("quick"), taking("long", 100)];
    const image = taking("image", 60, base, quick);
    const baked = taking("baked", 30, image);
    const all = [quick, long, taking("alone", 80), base, image, baked, taking("small", 10)];
    const names = longestChainFirst(all).map(({ name }) => name);
    assert.deepEqual(names, ["base", "long", "quick", "image", "alone", "baked", "small"]);
  });

  it("builds one after the other what compiles the same packages, and something else beside it", async () => {
    const started: string[] = [];
    const slow = (name: string, shares?: string): Artifact => ({
      ...{ ...counted(name), shares },
      build: async (into) => {
        started.push(name);
        while (name === "a" && !started.includes("d")) await sleep(1);
        await writeFile(path.join(into, "tool"), name);
      },
    });
    await ensure(slow("a", "x"), slow("b", "x"), slow("c", "x"), slow("d"));
    assert.deepEqual(started.slice(0, 2).sort(), ["a", "d"]);
  });

  it("builds at most two artifacts at once, in the given order", async () => {
    let now = 0;
    let most = 0;
    const started: string[] = [];
    // Ends when so many have begun.
    const slow = (name: string, others = 0): Artifact => ({
      ...counted(name),
      build: async (into) => {
        started.push(name);
        most = Math.max(most, ++now);
        while (started.length < others) await sleep(1);
        await sleep(10);
        now -= 1;
        await writeFile(path.join(into, "tool"), name);
      },
    });
    await ensure(slow("a", 2), slow("b", 2), slow("c"), slow("d"));
    assert.equal(most, 2);
    assert.deepEqual(started.slice(0, 2).sort(), ["a", "b"]);
  });

  describe("locks", () => {
    it("two runs at once build once", async () => {
      const artifact = counted("a");
      const build: Artifact["build"] = async (into, context) => {
        while (!lines.some((line) => line.includes("waiting"))) await sleep(1);
        await artifact.build(into, context);
      };
      const slow = { ...artifact, build };
      await Promise.all([ensure(slow), ensure(slow)]);
      assert.equal(artifact.builds, 1);
      assert.match(lines.join("\n"), /a: process \d+ is making it, waiting/);
    });

    const owner = async (change: object): Promise<string> =>
      JSON.stringify({ ...(await thisProcess()), ...change });
    const locked = async (address: string, content: string): Promise<string> => {
      const lockFile = cache.lockFile(address);
      await mkdir(path.dirname(lockFile), { recursive: true });
      await writeFile(lockFile, content);
      return lockFile;
    };
    const dead: Readonly<Record<string, object | string>> = {
      "of a process that is gone": { pid: 4_194_303 },
      "from before a reboot": { bootId: "0" },
      "that was cut short": '{"pid":',
    };
    eachCase("takes over a lock %s", dead, async (change) => {
      const artifact = counted("a");
      const content = typeof change === "string" ? change : await owner(change);
      const lockFile = await locked(await artifactAddress(artifact), content);
      await writeFile(`${lockFile}.4194303.abc`, content);
      await Promise.all([ensure(artifact), ensure(artifact)]);
      assert.equal(artifact.builds, 1);
      assert.deepEqual(await readdir(path.dirname(lockFile)), []);
    });

    it("gives up after the time limit, and names the living owner", async () => {
      await locked("a-1", await owner({}));
      const waiting = cache.withEntryLock("a-1", 0.02, () => Promise.resolve());
      await assert.rejects(waiting, new RegExp(`process ${process.pid} has held`));
    });

    it("releases the lock after a failure", async () => {
      const failing = (): Promise<never> => Promise.reject(new Error("x"));
      await assert.rejects(cache.withEntryLock("a-1", 600, failing));
      assert.equal(await cache.withEntryLock("a-1", 600, () => Promise.resolve(7)), 7);
    });
  });

  it("replaces an entry as a whole: a file held open keeps its content", async () => {
    const artifact = counted("a");
    const folder = (await ensure(artifact)).path(artifact);
    const held = path.join(root, "held");
    await link(path.join(folder, "tool"), held);
    await rename(path.join(folder, markerName), path.join(folder, "other"));
    await ensure(artifact);
    assert.equal(artifact.builds, 2);
    assert.equal(await readFile(held, "utf8"), "tool a");
  });
});

const nobody = 65534;

describe("the compiler's caches", () => {
  let cache: Cache;
  let module: string;

  /** A module whose folder Go protects, and folders of locks and builds that are there. */
  beforeEach(async () => {
    cache = new Cache(ownCache(newFolder()));
    module = path.join(cache.root, "go/mod/module@v1");
    for (const folder of [module, cache.buildingFolder, path.join(cache.root, "locks")]) {
      await mkdir(folder, { recursive: true });
    }
    await writeFile(path.join(module, "a.go"), "package a", { mode: 0o444 });
    await chmod(module, 0o555);
  });
  // Whoever is not root could not remove it at the end.
  afterEach(() => chmod(module, 0o755).catch(() => undefined));

  const build = (work: () => Promise<unknown>): Promise<unknown> =>
    cache.withEntryLock("tool-0123", 600, () =>
      cache.make("tool-0123", "tool", async (into) => {
        await work();
        await writeFile(path.join(into, "tool"), "");
      }),
    );

  it("may be missing if nothing was compiled", async () =>
    assert.equal(await removeCompilerCaches(new Cache(newFolder())), false));

  it("are removed as a whole by an ordinary user, with what a killed removal left", async () => {
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
      ".kindows-cache",
      "building",
      "locks",
    ]);
  });

  it("are removed even after a killed build and a killed removal", async () => {
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

  it("are gone when another process has removed them meanwhile", async () => {
    let removing: Promise<boolean> = Promise.resolve(true);
    await cache.withEntryLock("go", 600, async () => {
      removing = removeCompilerCaches(cache);
      await sleep(20);
      await removeTree(path.dirname(path.dirname(module)));
    });
    assert.equal(await removing, false);
  });

  it("make a build wait while they are removed", async () => {
    const order: string[] = [];
    let built: Promise<unknown> = Promise.resolve();
    await cache.withEntryLock("go", 600, async () => {
      built = build(() => Promise.resolve(order.push("built")));
      while (!existsSync(cache.lockFile("tool-0123"))) await sleep(1);
      await sleep(20);
      order.push("gone");
    });
    await built;
    assert.deepEqual(order, ["gone", "built"]);
  });
});
