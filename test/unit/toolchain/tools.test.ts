import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { artifactAddress } from "../../../toolchain/cache.ts";
import { isRecentEnough } from "../../../toolchain/tools/go-toolchain.ts";
import { findInstalled, takeInstalled } from "../../../toolchain/tools/installed.ts";
import { ownRelease } from "../../../toolchain/tools/own-release.ts";
import * as table from "../../../toolchain/tools/table.ts";
import { toolArtifact } from "../../../toolchain/tools/tool-artifact.ts";
import type { Tool } from "../../../toolchain/tools/tool.ts";
import { renameFunction } from "../../../toolchain/windows-goroot-overlay.ts";
import { newFolder } from "../new-folder.ts";

const tool: Tool = {
  name: "sample",
  version: "1.2.3",
  installed: { versionArguments: ["version"], versionPattern: /^sample v(\S+)/ },
  downloads: [{ url: "https://example.test/sample", executable: "sample" }],
  go: { module: path.join(import.meta.dirname, "module"), packages: { sample: "." } },
};

describe("tools", () => {
  let folder: string;
  const { PATH: searched, KINDOWS_CACHE: cache } = process.env;

  beforeEach(() => (folder = newFolder()));
  afterEach(() => Object.assign(process.env, { PATH: searched, KINDOWS_CACHE: cache }));

  /** Puts a program in front of all others on the PATH. */
  function program(name: string, script: string): string {
    const file = path.join(folder, name);
    writeFileSync(file, script, { mode: 0o755 });
    process.env.PATH = `${folder}:${searched ?? ""}`;
    return file;
  }

  describe("are had in the first way that works", () => {
    const building = "building 1.2.3 from Go modules";
    for (const [line, installed, download, used] of [
      ["version 1.2.3 is installed, taken", undefined, undefined, "installed"],
      ["version 1.2.3 downloaded", "not installed", undefined, "download"],
      [`${building}: not installed, no route`, "not installed", "no route", "build"],
      [building, "", "", "build"],
    ] as const) {
      it(line, async () => {
        const tried: string[] = [];
        const lines: string[] = [];
        const way = (name: string, outcome?: string) => (): Promise<string | undefined> => {
          tried.push(name);
          return Promise.resolve(outcome);
        };
        const artifact = toolArtifact(tool, {
          installed: way("installed", installed),
          download: way("download", download),
          build: async () => void (await way("build")()),
        });
        const progress = (said: string): unknown => lines.push(said);
        await artifact.build(folder, { progress, path: () => "", logFile: "", downloads: "" });
        assert.equal(tried.at(-1), used);
        assert.deepEqual(lines, [line]);
      });
    }
  });

  describe("installed ones", () => {
    for (const [what, script, reason] of [
      ["another version", "echo sample v1.2.4", "installed is 1.2.4"],
      ["a longer version", "echo sample v1.2.3-rc.1", "installed is 1.2.3-rc.1"],
      ["no version in what it prints", "echo hello", "installed is an unknown version"],
      ["a failing one", "echo sample v1.2.3; exit 1", "installed is an unknown version"],
    ] as const) {
      it(`are not taken: ${what}`, async () => {
        program("sample", `#!/bin/sh\n${script}\n`);
        assert.deepEqual(await findInstalled(tool), { reason });
      });
    }
    it("are not taken: none on the PATH", async () => {
      process.env.PATH = folder;
      assert.deepEqual(await findInstalled(tool), { reason: "not installed" });
    });
    it("are not taken: one of our own cache", async () => {
      process.env.KINDOWS_CACHE = folder;
      program("sample", "#!/bin/sh\necho sample v1.2.3\n");
      assert.deepEqual(await findInstalled(tool), { reason: "not installed" });
    });
    it("are copied at the pinned version, with what belongs to them", async () => {
      const script = "#!/bin/sh\necho sample v1.2.3\n";
      const file = program("sample", script);
      program("sample-host", script);
      const into = mkdtempSync(path.join(folder, "into-"));
      const beside = { "beside/host": "sample-host", "beside/other": "sample-other" };
      const installed = { versionArguments: [], versionPattern: /v(\S+)/, beside };
      assert.equal(await takeInstalled({ ...tool, installed }, into), undefined);
      assert.deepEqual(readdirSync(path.join(into, "beside")), ["host"]);
      rmSync(file);
      assert.equal(readFileSync(path.join(into, "sample"), "utf8"), script);
    });
  });

  describe("Go versions", () => {
    const recent = ["go1.26", "go1.26.8", "go1.27rc1", "go2.0", "devel go1.28-abcdef"];
    for (const printed of [...recent, "go1.25.9", "go1.9", "", "gccgo"]) {
      const enough = recent.includes(printed);
      it(`${JSON.stringify(printed)} is ${enough ? "" : "not "}recent enough`, () =>
        assert.equal(isRecentEnough(printed), enough));
    }
  });

  describe("the table", () => {
    const artifacts = Object.values(table).filter((each) => typeof each === "object");

    it("has every download of its version over HTTPS, with a checksum, for executables of its own", () => {
      for (const { tool: each } of artifacts) {
        for (const { url, checksumUrl = "", ...download } of each.downloads ?? []) {
          assert.ok(url.startsWith("https://") && url.includes(`v${each.version}/`), url);
          assert.ok(checksumUrl.startsWith("https://"), url);
          const made = "members" in download ? Object.keys(download.members) : download.executable;
          assert.ok(
            Object.keys(each.go.packages).some((name) => made.includes(name)),
            url,
          );
        }
      }
    });
    it("gives every tool its own address", async () => {
      const addresses = await Promise.all(artifacts.map((each) => artifactAddress(each)));
      assert.equal(new Set(addresses).size, artifacts.length);
    });
    it("recognises what the pinned tools print", () => {
      for (const [{ tool: each }, text] of [
        [table.pulumi, "v3.259.0\n"],
        [table.kind, "kind v0.33.0 go1.26.8 linux/amd64\n"],
        [table.kubectl, '{ "clientVersion": { "gitVersion": "v1.36.4" } }\n'],
      ] as const) {
        assert.equal(each.installed?.versionPattern.exec(text)?.[1], each.version);
      }
    });
  });

  describe("that only this project publishes", () => {
    const go = { ...tool.go, packages: { "a.exe": "./a", "b.exe": "./b" } };
    const artifact = toolArtifact({ ...tool, downloads: undefined, go });
    const clonedFrom = async (origin: string): ReturnType<typeof ownRelease> => {
      await execa("git", ["init", "--quiet", folder]);
      await execa("git", ["-C", folder, "remote", "add", "origin", origin]);
      writeFileSync(path.join(folder, "package.json"), '{"version": "3.2.1"}');
      artifact.inputs = () => Promise.resolve({ version: "1.2.3" });
      return ownRelease(artifact, folder);
    };
    for (const origin of [
      "https://github.com/some-one/kindows",
      "https://github.com/some-one/kindows.git",
      "git@github.com:some-one/kindows.git",
      "ssh://git@github.com/some-one/kindows.git",
    ]) {
      it(`are in the release of a clone from ${origin}`, async () => {
        const [download, ...more] = (await clonedFrom(origin)) ?? [];
        assert.deepEqual(more, []);
        assert.deepEqual(download, {
          url: `https://github.com/some-one/kindows/releases/download/v3.2.1/${await artifactAddress(artifact)}.tar.gz`,
          checksumUrl: "https://api.github.com/repos/some-one/kindows/releases/tags/v3.2.1",
          members: { "a.exe": "a.exe", "b.exe": "b.exe" },
        });
      });
    }
    for (const origin of ["/srv/git/kindows", "https://gitlab.com/some-one/kindows.git"]) {
      it(`are in none for a clone from ${origin}`, async () =>
        assert.equal(await clonedFrom(origin), undefined));
    }
    it("are in none without a clone", async () =>
      assert.equal(await ownRelease(artifact, folder), undefined));
  });

  describe("renaming a function of Go's library", () => {
    const renamed = (source: string): string =>
      renameFunction("os/file.go", source, "func rename(", "func goRename(");
    it("renames it", () => {
      const source = "package os\n\nfunc rename(a string) {\n";
      assert.equal(renamed(source), source.replace("rename", "goRename"));
    });
    for (const [what, source, message] of [
      ["refuses one that is gone", "package os\n", /"func rename\(" 0 times/],
      ["refuses two", "\nfunc rename(\nfunc rename(\n", /2 times/],
      ["takes no other one", "\n// func rename(\n", /0 times/],
    ] as const) {
      it(what, () => assert.throws(() => renamed(source), message));
    }
  });
});
