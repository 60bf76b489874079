import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import type { BuildContext } from "../../../toolchain/artifact.ts";
import { artifactAddress } from "../../../toolchain/cache.ts";
import { fetchDownload } from "../../../toolchain/tools/download.ts";
import { isRecentEnough } from "../../../toolchain/tools/go-version.ts";
import { findInstalled, takeInstalled } from "../../../toolchain/tools/installed.ts";
import * as table from "../../../toolchain/tools/table.ts";
import { toolArtifact } from "../../../toolchain/tools/tool-artifact.ts";
import type { Tool } from "../../../toolchain/tools/tool.ts";
import { renameFunction } from "../../../toolchain/windows-goroot-overlay.ts";

const content = "#!/bin/sh\necho built\n";

/** The download of a file with this content. */
function pinned(text: string): Tool["download"] {
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { url: "https://example.test/sample", sha256 };
}

const tool: Tool = {
  name: "sample",
  version: "1.2.3",
  executables: ["sample"],
  installed: { versionArguments: ["version"], versionPattern: /^sample v(\S+)/ },
  download: pinned(content),
  go: { module: path.join(import.meta.dirname, "module"), packages: { sample: "." } },
};

describe("tools", () => {
  let folder: string;
  let searched: string | undefined;

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "kindows-tools-"));
    searched = process.env.PATH;
  });
  afterEach(() => {
    process.env.PATH = searched;
    rmSync(folder, { recursive: true, force: true });
  });

  /** Puts a program in front of all others on the PATH. */
  function program(name: string, script: string): string {
    const file = path.join(folder, name);
    writeFileSync(file, script);
    chmodSync(file, 0o755);
    process.env.PATH = `${folder}:${searched ?? ""}`;
    return file;
  }

  describe("are had in the first way that works", () => {
    const cases: readonly (readonly [string, string | undefined, string | undefined, string])[] = [
      ["installed at the pinned version", undefined, undefined, "installed"],
      ["not installed, but downloaded", "not installed", undefined, "download"],
      ["neither, so built", "not installed", "no route", "build"],
      ["no other way known, so built", "", "", "build"],
    ];
    for (const [what, installed, download, expected] of cases) {
      it(what, async () => {
        const used: string[] = [];
        const lines: string[] = [];
        const way =
          (name: string, outcome: string | undefined) => (): Promise<string | undefined> => {
            used.push(name);
            return Promise.resolve(outcome);
          };
        const artifact = toolArtifact(tool, {
          installed: way("installed", installed),
          download: way("download", download),
          build: async () => void (await way("build", undefined)()),
        });
        const context: BuildContext = {
          progress: (line) => lines.push(line),
          path: () => "",
          logFile: "",
          downloads: "",
        };
        await artifact.build(folder, context);
        assert.equal(used.at(-1), expected);
        if (expected === "build") {
          const why = installed === "" ? "" : ": not installed, no route";
          assert.deepEqual(lines, [`building 1.2.3 from Go modules${why}`]);
        }
      });
    }
  });

  describe("installed ones", () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ["another version", "echo sample v1.2.4", "installed is 1.2.4"],
      ["a longer version", "echo sample v1.2.3-rc.1", "installed is 1.2.3-rc.1"],
      ["no version in what it prints", "echo hello", "installed is an unknown version"],
      ["a failing one", "echo sample v1.2.3; exit 1", "installed is an unknown version"],
    ];
    for (const [what, script, reason] of cases) {
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
      const earlier = process.env.KINDOWS_CACHE;
      process.env.KINDOWS_CACHE = folder;
      try {
        program("sample", "#!/bin/sh\necho sample v1.2.3\n");
        assert.deepEqual(await findInstalled(tool), { reason: "not installed" });
      } finally {
        if (earlier === undefined) {
          delete process.env.KINDOWS_CACHE;
        } else {
          process.env.KINDOWS_CACHE = earlier;
        }
      }
    });
    it("are copied at the pinned version", async () => {
      const script = "#!/bin/sh\necho sample v1.2.3\n";
      const file = program("sample", script);
      const into = mkdtempSync(path.join(folder, "into-"));
      assert.equal(await takeInstalled(tool, into), undefined);
      rmSync(file);
      assert.equal(readFileSync(path.join(into, "sample"), "utf8"), script);
    });
  });

  describe("downloads", () => {
    const context = (): { progress: () => void; downloads: string } => ({
      progress: () => undefined,
      downloads: path.join(folder, "downloads"),
    });
    /** A curl that writes a file where it is told to, or fails. */
    const curl = (lines: string): string =>
      `#!/bin/sh\nwhile [ "$1" != --output ]; do shift; done\n${lines}\n`;

    it("are taken with the pinned checksum", async () => {
      program("curl", curl(`printf '%s' '${content}' >"$2"`));
      assert.equal(await fetchDownload(tool, folder, context()), undefined);
      assert.equal(readFileSync(path.join(folder, "sample"), "utf8"), content);
    });
    it("with another checksum are an error and leave no executable", async () => {
      program("curl", curl(`echo evil >"$2"`));
      await assert.rejects(
        fetchDownload(tool, folder, context()),
        /has SHA-256 [0-9a-f]{64}, not the pinned/,
      );
      assert.ok(!readdirSync(folder).includes("sample"));
      const [kept = ""] = readdirSync(path.join(folder, "downloads/wrong"));
      assert.equal(readFileSync(path.join(folder, "downloads/wrong", kept), "utf8"), "evil\n");
    });
    it("without a route are none", async () => {
      program("curl", curl(`echo half >"$2"; echo 'curl: (6) no such host' >&2; exit 6`));
      assert.equal(
        await fetchDownload(tool, folder, context()),
        "download failed (curl: (6) no such host)",
      );
      assert.deepEqual(readdirSync(path.join(folder, "downloads")), []);
    });
    it("without curl are none", async () => {
      process.env.PATH = folder;
      assert.equal(await fetchDownload(tool, folder, context()), "curl is missing");
    });
    it("without a checksum are none", async () => {
      const none = { ...tool, download: { none: "nobody publishes one" } };
      assert.equal(await fetchDownload(none, folder, context()), "");
    });
  });

  describe("Go versions", () => {
    const cases: readonly (readonly [string, boolean])[] = [
      ["go1.26", true],
      ["go1.26.8", true],
      ["go1.27rc1", true],
      ["go2.0", true],
      ["devel go1.28-abcdef", true],
      ["go1.25.9", false],
      ["go1.9", false],
      ["", false],
      ["gccgo", false],
    ];
    for (const [printed, enough] of cases) {
      it(`${JSON.stringify(printed)} is ${enough ? "" : "not "}recent enough`, () =>
        assert.equal(isRecentEnough(printed), enough));
    }
  });

  describe("the table", () => {
    const artifacts = Object.values(table).filter((each) => typeof each === "object");

    it("has pinned checksums only as lower-case SHA-256 over HTTPS", () => {
      const downloads = artifacts.flatMap(({ tool: { download } }) =>
        "url" in download ? [download] : [],
      );
      assert.ok(downloads.length > 0);
      for (const { url, sha256 } of downloads) {
        assert.match(sha256, /^[0-9a-f]{64}$/);
        assert.match(url, /^https:\/\//);
      }
    });
    it("has a Go package for every executable, and no other", () => {
      for (const { tool: each } of artifacts) {
        assert.deepEqual(Object.keys(each.go.packages).sort(), [...each.executables].sort());
      }
    });
    it("names the pinned version in every download", () => {
      for (const { tool: each } of artifacts) {
        if ("url" in each.download) {
          assert.ok(each.download.url.includes(`v${each.version}/`), each.name);
        }
      }
    });
    it("gives every tool its own address", async () => {
      const addresses = await Promise.all(artifacts.map((each) => artifactAddress(each)));
      assert.equal(new Set(addresses).size, artifacts.length);
    });
    it("recognises what the pinned tools print", () => {
      const printed: readonly (readonly [Tool, string])[] = [
        [table.pulumi.tool, "v3.259.0\n"],
        [table.kind.tool, "kind v0.33.0 go1.26.8 linux/amd64\n"],
        [table.kubectl.tool, '{ "clientVersion": { "gitVersion": "v1.36.4" } }\n'],
      ];
      for (const [each, text] of printed) {
        assert.equal(each.installed?.versionPattern.exec(text)?.[1], each.version);
      }
    });
  });

  describe("renaming a function of Go's library", () => {
    const cases: readonly (readonly [string, string, string | RegExp])[] = [
      [
        "renames it",
        "package os\n\nfunc rename(a string) {\n",
        "package os\n\nfunc goRename(a string) {\n",
      ],
      ["refuses one that is gone", "package os\n", /"func rename\(" 0 times/],
      ["refuses two", "\nfunc rename(\nfunc rename(\n", /2 times/],
      ["takes no other one", "\n// func rename(\n", /0 times/],
    ];
    for (const [what, source, expected] of cases) {
      it(what, () => {
        const run = (): string =>
          renameFunction("os/file.go", source, "func rename(", "func goRename(");
        if (typeof expected === "string") {
          assert.equal(run(), expected);
        } else {
          assert.throws(run, expected);
        }
      });
    }
  });
});
