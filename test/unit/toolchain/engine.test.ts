import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { bundledPlugins } from "../../../plugins/catalog.ts";
import { formatSeconds } from "../../../toolchain/duration.ts";
import { choosePlugins, homeVersion, pluginSource } from "../../../toolchain/engine-plugins.ts";
import { parseStartTicks } from "../../../toolchain/owner.ts";
import { assemblePulumiHome, pluginPlace } from "../../../toolchain/pulumi-home.ts";
import { differingFiles } from "../../../toolchain/sdk/generate-sdk.ts";
import { hashSources } from "../../../toolchain/tools/sources-hash.ts";

describe("engine plugins", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "kindows-home-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const sources: readonly (readonly [string | undefined, string | undefined])[] = [
    [undefined, undefined],
    ["", undefined],
    ["official", "official"],
    ["bundled", "bundled"],
  ];
  for (const [value, expected] of sources) {
    it(`KINDOWS_PLUGINS=${value ?? "(unset)"} means ${expected ?? "what there is"}`, () =>
      assert.equal(pluginSource({ KINDOWS_PLUGINS: value }), expected));
  }
  it("rejects any other value, naming the allowed ones", () =>
    assert.throws(() => pluginSource({ KINDOWS_PLUGINS: "oficial" }), /"official" or "bundled"/));

  /** Official plugins of these names, as executables; the others' places are empty. */
  function official(...names: readonly string[]) {
    return (plugin: { readonly name: string }): Promise<readonly string[]> => {
      const file = path.join(folder, plugin.name);
      if (names.includes(plugin.name)) {
        writeFileSync(file, "", { mode: 0o755 });
      }
      return Promise.resolve([path.join(folder, "nowhere"), file]);
    };
  }
  const all = bundledPlugins.map(({ name }) => name);
  const chosenOf = async (...args: Parameters<typeof choosePlugins>): Promise<readonly string[]> =>
    (await choosePlugins(...args)).flatMap((each) =>
      each.official === undefined ? [] : [each.plugin.name],
    );

  it("unset: official where this host has one, bundled elsewhere", async () =>
    assert.deepEqual(await chosenOf(undefined, official("command")), ["command"]));
  it("bundled: not even looked for", async () =>
    assert.deepEqual(await chosenOf("bundled", official(...all)), []));
  it("official: all of them", async () =>
    assert.deepEqual(await chosenOf("official", official(...all)), all));
  it("official: names each missing one and how it is had", async () => {
    await assert.rejects(
      choosePlugins("official", official("command", "docker")),
      (error: Error) => {
        assert.match(
          error.message,
          /kubernetes: pulumi plugin install resource kubernetes v4\.34\.2/,
        );
        assert.match(error.message, /language-nodejs: install Pulumi 3\.259\.0/);
        assert.doesNotMatch(error.message, /install resource command/);
        return true;
      },
    );
  });
  it("a file that is no program is no plugin", async () => {
    writeFileSync(path.join(folder, "command"), "", { mode: 0o644 });
    assert.deepEqual(await chosenOf(undefined, official()), []);
  });
  it("every plugin has a version in the engine's home", () => {
    for (const plugin of bundledPlugins) {
      assert.match(homeVersion(plugin), /^\d+\.\d+\.\d+$/);
    }
  });

  it("have their place by kind, name and version", () => {
    assert.equal(
      pluginPlace("resource", "command", "1.2.1", "pulumi-resource-command"),
      "plugins/resource-command-v1.2.1/pulumi-resource-command",
    );
    assert.equal(
      pluginPlace("language", "language-nodejs", "3.259.0", "pulumi-language-nodejs"),
      "plugins/language-nodejs-v3.259.0/pulumi-language-nodejs",
    );
  });

  describe("home", () => {
    const one = { place: "plugins/resource-a-v1.0.0/a", target: "/cache/a-1/a" };
    const two = { place: "plugins/resource-b-v1.0.0/b", target: "/cache/b-1/b" };

    it("holds exactly what is wanted, and keeps what is not ours", async () => {
      writeFileSync(path.join(folder, "credentials.json"), "{}");
      await assemblePulumiHome([one, two], folder);
      await assemblePulumiHome([{ ...one, target: "/cache/a-2/a" }], folder);
      assert.equal(readlinkSync(path.join(folder, one.place)), "/cache/a-2/a");
      assert.deepEqual(await readdir(path.join(folder, "plugins")), ["resource-a-v1.0.0"]);
      assert.deepEqual((await readdir(folder)).sort(), ["credentials.json", "plugins"]);
    });
    it("leaves a link that is right as it is, beside nothing", async () => {
      await assemblePulumiHome([one], folder);
      await assemblePulumiHome([one], folder);
      assert.deepEqual(await readdir(path.join(folder, "plugins/resource-a-v1.0.0")), ["a"]);
    });
    it("puts a link where something else is", async () => {
      mkdirSync(path.join(folder, one.place), { recursive: true });
      writeFileSync(path.join(folder, one.place, "file"), "");
      await assemblePulumiHome([one], folder);
      assert.equal(readlinkSync(path.join(folder, one.place)), one.target);
    });
  });

  describe("generated SDK", () => {
    const write = (name: string, content: string): void => {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), content);
    };
    it("differs where a file does, or is missing on either side; what is compiled does not count", async () => {
      write("a/index.ts", "same");
      write("b/index.ts", "same");
      write("a/changed.ts", "1");
      write("b/changed.ts", "2");
      write("a/config/only.ts", "");
      write("b/extra.ts", "");
      write("b/bin/index.js", "");
      assert.deepEqual(await differingFiles(path.join(folder, "a"), path.join(folder, "b")), [
        "changed.ts",
        "config/only.ts",
        "extra.ts",
      ]);
    });
  });

  describe("hash of sources", () => {
    const hash = (): Promise<string> =>
      hashSources(folder, [folder], (file) => file.endsWith(".go"));
    it("changes with a name or a content that counts, and with nothing else", async () => {
      writeFileSync(path.join(folder, "a.go"), "a");
      const first = await hash();
      writeFileSync(path.join(folder, "notes.md"), "n");
      assert.equal(await hash(), first);
      writeFileSync(path.join(folder, "a.go"), "b");
      const second = await hash();
      assert.notEqual(second, first);
      writeFileSync(path.join(folder, "b.go"), "b");
      assert.notEqual(await hash(), second);
    });
  });
});

describe("progress", () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, "0 s"],
    [0.123, "0.1 s"],
    [9.96, "10 s"],
    [59, "59 s"],
    [59.7, "1 min 00 s"],
    [125, "2 min 05 s"],
    [3599.6, "1 h 00 min"],
    [7320, "2 h 02 min"],
  ];
  for (const [seconds, text] of cases) {
    it(`${seconds} s is shown as ${text}`, () => assert.equal(formatSeconds(seconds), text));
  }
});

describe("process identity", () => {
  const rest = "1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0";
  const cases: readonly (readonly [string, string, string | undefined])[] = [
    ["a plain name", `12 (node) S ${rest}`, "4711"],
    ["a name with blanks and brackets", `12 (a) (b c) R ${rest}`, "4711"],
    ["a zombie is dead", `12 (node) Z ${rest}`, undefined],
  ];
  for (const [what, stat, expected] of cases) {
    it(what, () => assert.equal(parseStartTicks(stat), expected));
  }
});
