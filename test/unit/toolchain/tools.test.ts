import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { execa } from "execa";

import { artifactAddress } from "../../../toolchain/cache.ts";
import { bundlePrograms } from "../../../toolchain/program/bundle.ts";
import * as thinRuntime from "../../../toolchain/program/sdk-runtime.ts";
import * as thinSdk from "../../../toolchain/program/sdk.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { isRecentEnough } from "../../../toolchain/tools/go-toolchain.ts";
import { findInstalled, takeInstalled } from "../../../toolchain/tools/installed.ts";
import { ownRelease } from "../../../toolchain/tools/own-release.ts";
import { replaceOnce } from "../../../toolchain/tools/patched-module.ts";
import { pageAligned } from "../../../toolchain/tools/page-aligned.ts";
import * as table from "../../../toolchain/tools/table.ts";
import { toolArtifact } from "../../../toolchain/tools/tool-artifact.ts";
import type { Tool } from "../../../toolchain/tools/tool.ts";
import { renameFunction } from "../../../toolchain/windows-goroot-overlay.ts";
import { eachCase } from "../each-case.ts";
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

  function program(name: string, script: string): string {
    const file = path.join(folder, name);
    writeFileSync(file, script, { mode: 0o755 });
    process.env.PATH = `${folder}:${searched ?? ""}`;
    return file;
  }

  describe("come from the first source that works", () => {
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
    it("are copied at the pinned version, with the executables beside them", async () => {
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

    it("has HTTPS downloads of the tool's version with checksums, for the tool's own executables", () => {
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
    it("calls the programs of one build as their packages, as Go does", () => {
      for (const { tool: each } of artifacts) {
        const packages = Object.entries(each.go.packages);
        for (const [name, of] of packages.length > 1 ? packages : []) {
          assert.equal(name, path.posix.basename(of) + (each.go.forWine ? ".exe" : ""));
        }
      }
    });
    it("recognises the version output of the pinned tools", () => {
      for (const [{ tool: each }, text] of [
        [table.pulumi, "v3.276.0\n"],
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

  describe("a patch of a module", () => {
    const changed = (content: string): string => replaceOnce("a.go", content, "f(a)", "f(a, nil)");
    it("replaces its text", () => assert.equal(changed("x := f(a)\n"), "x := f(a, nil)\n"));
    for (const content of ["x := f(a, nil)", "f(a); f(a)"]) {
      it(`fails for ${content}`, () => assert.throws(() => changed(content), /a\.go .*"f\(a\)"/));
    }
  });

  describe("programs of Go modules", () => {
    const versions = (module: string): readonly (string | undefined)[] => {
      const required = readFileSync(
        path.join(projectRoot, "offline/modules", module, "go.mod"),
        "utf8",
      );
      return ["api", "apimachinery", "client-go"].map(
        (name) => new RegExp(`^\\tk8s\\.io/${name} (\\S+)`, "m").exec(required)?.[1],
      );
    };
    it("share Kubernetes' libraries where they are compiled one after the other", () => {
      const [first] = versions("kubernetes");
      assert.match(first ?? "", /^v0\./);
      for (const module of ["kubernetes", "flannel"]) {
        assert.deepEqual(versions(module), [first, first, first], module);
      }
    });
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

const coff = 0x80;
const optional = coff + 24;

/** Length of each section in the file, which is filled with the first letter of its name. */
const usual = { ".text": 0x1200, ".bss": 0, ".data": 0x200, ".symtab": 0x200 };

describe("a Windows program whose sections begin with a page", () => {
  const table = optional + 240;

  /** A 64-bit Windows program as Go's linker lays it out: sections at multiples of 512 bytes. */
  function program(sections: Readonly<Record<string, number>>, symbolsIn?: string): Buffer {
    const headers = Buffer.alloc(0x400);
    headers.write("MZ", 0, "latin1");
    headers.writeUInt32LE(coff, 0x3c);
    headers.write("PE\0\0", coff, "latin1");
    headers.writeUInt16LE(Object.keys(sections).length, coff + 6);
    headers.writeUInt16LE(240, coff + 20);
    headers.writeUInt16LE(0x20b, optional);
    headers.writeUInt32LE(512, optional + 36);
    headers.writeUInt32LE(headers.length, optional + 60);
    headers.writeUInt32LE(16, optional + 108);
    const parts = [headers];
    let offset = headers.length;
    Object.entries(sections).forEach(([name, length], index) => {
      const at = table + index * 40;
      headers.write(name, at, "latin1");
      headers.writeUInt32LE(length, at + 16);
      headers.writeUInt32LE(length === 0 ? 0 : offset, at + 20);
      if (name === symbolsIn) headers.writeUInt32LE(offset + 16, coff + 12);
      parts.push(Buffer.alloc(length, name.replace(".", "")[0]));
      offset += length;
    });
    return Buffer.concat(parts);
  }

  /** Where each section is in the file, and what is there. */
  function laidOut(file: Buffer): readonly (readonly [string, number, number, string])[] {
    return Array.from({ length: file.readUInt16LE(coff + 6) }, (_, index) => {
      const at = table + index * 40;
      const [length, offset] = [file.readUInt32LE(at + 16), file.readUInt32LE(at + 20)];
      const name = file.toString("latin1", at, at + 8).replaceAll("\0", "");
      const content = file.toString("latin1", offset, offset + length);
      return [name, offset, length, length === 0 ? "" : `${content[0]}${content[511]}`];
    });
  }

  function changed(offset: number, value: number): Buffer {
    const file = program(usual);
    file.writeUInt16LE(value, offset);
    return file;
  }

  const refused: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
    "an empty file": [Buffer.alloc(0), /does not begin with MZ/],
    "a program for Linux": [Buffer.alloc(500, "\x7fELF"), /does not begin with MZ/],
    "one cut short": [program(usual).subarray(0, 0x90), /no PE32\+ header/],
    "a 32-bit one": [changed(optional, 0x10b), /no PE32\+ header/],
    "a signed one": [changed(optional + 112 + 32, 1), /certificate table/],
    "one to debug": [changed(optional + 112 + 48, 1), /debug information/],
    "one with an archive behind it": [
      Buffer.concat([program(usual), Buffer.alloc(7)]),
      /7 bytes after its sections/,
    ],
  };

  it("keeps every section's content, at multiples of a page", () =>
    assert.deepEqual(laidOut(pageAligned(program(usual))), [
      [".text", 0x1000, 0x2000, "tt"],
      [".bss", 0, 0, ""],
      [".data", 0x3000, 0x1000, "dd"],
      [".symtab", 0x4000, 0x1000, "ss"],
    ]));

  eachCase("refuses %s", refused, ([file, why]) => assert.throws(() => pageAligned(file), why));
});

describe("bundle of the program", () => {
  let folder: string;

  beforeEach(async () => {
    folder = newFolder();
    // What a bundle does not bring is looked for above it.
    await symlink(path.join(projectRoot, "node_modules"), path.join(folder, "node_modules"));
  });

  async function bundled(text: string): Promise<Record<string, unknown>> {
    const entry = path.join(folder, "source", "sample.ts");
    await mkdir(path.dirname(entry), { recursive: true });
    await writeFile(entry, text);
    await bundlePrograms(path.dirname(entry), ["sample.ts"], path.join(folder, "out"));
    const file = pathToFileURL(path.join(folder, "out", "sample.mjs")).href;
    return (await import(file)) as Record<string, unknown>;
  }

  it("knows the paths of its sources", async () => {
    const program = await bundled(`
      export const url = import.meta.url;
      export const { dirname, filename } = import.meta;
      export const text = "import.meta.filename";
    `);
    const dirname = path.join(folder, "source");
    const filename = path.join(dirname, "sample.ts");
    const url = pathToFileURL(filename).href;
    assert.deepEqual({ ...program }, { url, dirname, filename, text: "import.meta.filename" });
  });

  it("uses the SDK's modules that the engine's start module has loaded", async () => {
    const program = await bundled(`
      import * as pulumi from "@pulumi/pulumi";
      export const { Output, ComponentResource } = pulumi;
    `);
    const sdk = await import("@pulumi/pulumi");
    assert.equal(program["Output"], sdk.Output);
    assert.equal(program["ComponentResource"], sdk.ComponentResource);
  });

  it("has the parts of the SDK that the program and its providers' packages use, and none that load slowly", async () => {
    await bundlePrograms(projectRoot, ["index.ts"], folder);
    const used = { sdk: new Set<string>(), runtime: new Set<string>(), modules: new Set<string>() };
    for (const name of (await readdir(folder)).filter((each) => each !== "node_modules")) {
      const text = await readFile(path.join(folder, name), "utf8");
      for (const [, module = ""] of text.matchAll(
        /(?:from|import|require\() ?"(@pulumi\/pulumi[^"]*)"/g,
      )) {
        used.modules.add(module);
      }
      // What stands behind a quotation mark is text: the annotation "pulumi.com/patchFieldManager".
      for (const [, part = "", inner] of text.matchAll(
        /(?<![\w./@"-])pulumi\d*\.([A-Za-z]+)(?:\.([a-zA-Z]+))?/g,
      )) {
        used.sdk.add(part);
        if (part === "runtime" && inner !== undefined) used.runtime.add(inner);
      }
    }
    const slow =
      /^@pulumi\/pulumi(\/index\.js)?$|\/runtime(\/index\.js)?$|automation|dynamic|closure/;
    const wrong = [
      ...[...used.sdk].filter((name) => !(name in thinSdk)),
      ...[...used.runtime].filter((name) => !(name in thinRuntime)),
      ...[...used.modules].filter((module) => slow.test(module)),
    ];
    assert.deepEqual(wrong, []);
    assert.ok(used.sdk.has("CustomResource") && used.runtime.has("registerResourceModule"));
  });
});
