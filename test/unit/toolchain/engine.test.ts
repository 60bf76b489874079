import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { bundledPlugins } from "../../../offline/plugins/catalog.ts";
import { artifactAddress } from "../../../toolchain/cache.ts";
import { howBusy, timesSoFar } from "../../../toolchain/how-busy.ts";
import { formatSeconds } from "../../../toolchain/progress-text.ts";
import {
  homeVersion,
  officialOnThisHost,
  pluginSource,
  pluginArtifact,
  pluginDownloads,
} from "../../../cli/engine/plugin-artifact.ts";
import { parseStartTicks } from "../../../toolchain/owner.ts";
import { engineTools } from "../../../cli/engine/prepare-engine.ts";
import { assemblePulumiHome, linkPlugins, pluginLink } from "../../../toolchain/pulumi-home.ts";
import { hashSources } from "../../../toolchain/tools/sources-hash.ts";
import { newFolder } from "../new-folder.ts";

describe("engine plugins", () => {
  let folder: string;
  beforeEach(() => (folder = newFolder()));

  for (const [value, expected] of [
    [undefined, undefined],
    ["", undefined],
    ["official", "official"],
    ["bundled", "bundled"],
  ]) {
    it(`KINDOWS_PLUGINS=${value ?? "(unset)"} means ${expected ?? "what there is"}`, () =>
      assert.equal(pluginSource({ KINDOWS_PLUGINS: value }), expected));
  }
  it("rejects any other value, naming the allowed ones", () =>
    assert.throws(() => pluginSource({ KINDOWS_PLUGINS: "oficial" }), /"official" or "bundled"/));

  const taken = async (
    source: ReturnType<typeof pluginSource>,
    lacking: readonly string[],
  ): Promise<readonly string[]> => {
    const official: string[] = [];
    for (const plugin of bundledPlugins) {
      const into = path.join(folder, plugin.name);
      mkdirSync(into);
      const artifact = pluginArtifact(plugin, source, ({ name, executable }) => {
        if (lacking.includes(name)) return Promise.resolve("no route");
        writeFileSync(path.join(into, executable), "official");
        return Promise.resolve(undefined);
      });
      const context = { path: () => "", logFile: "", downloads: "", progress: () => undefined };
      await artifact.build(into, context);
      const content = readFileSync(path.join(into, plugin.executable), "utf8");
      if (content === "official") official.push(plugin.name);
    }
    return official;
  };
  const all = bundledPlugins.map(({ name }) => name);

  it("unset: official if available, otherwise bundled", async () =>
    assert.deepEqual(await taken(undefined, all.slice(1)), all.slice(0, 1)));
  it("bundled: does not look for official ones", async () =>
    assert.deepEqual(await taken("bundled", []), []));
  it("official: all of them", async () => assert.deepEqual(await taken("official", []), all));
  it("official: names an unavailable plugin, the reason, and how to get it", async () => {
    await assert.rejects(taken("official", ["kubernetes"]), {
      message:
        'KINDOWS_PLUGINS is "official", but kubernetes is not available: no route. Run `pulumi plugin install resource kubernetes v4.34.2`',
    });
  });
  it("an official plugin and a bundled one are different artifacts", async () => {
    for (const plugin of bundledPlugins) {
      const sources = [undefined, "official", "bundled"] as const;
      const addresses = sources.map((source) => artifactAddress(pluginArtifact(plugin, source)));
      assert.equal(new Set(await Promise.all(addresses)).size, 3);
    }
  });
  it("official plugins come from their publishers at their version, except the language host", () => {
    const urls = bundledPlugins.flatMap(pluginDownloads).map(({ url }) => url);
    assert.equal(urls.length, all.length - 1);
    assert.equal(
      urls[0],
      "https://github.com/pulumi/pulumi-command/releases/download/v1.2.1/pulumi-resource-command-v1.2.1-linux-amd64.tar.gz",
    );
  });
  it("the official language host is the installed engine's if the cache's engine has none", async () => {
    const { PATH } = process.env;
    const installed = newFolder();
    const script = "#!/bin/sh\necho v3.276.0\n";
    for (const name of ["pulumi", "pulumi-language-nodejs"]) {
      writeFileSync(path.join(installed, name), script, { mode: 0o755 });
    }
    const [language = assert.fail()] = bundledPlugins;
    const context = { path: newFolder, logFile: "", downloads: "", progress: () => undefined };
    process.env.PATH = `${installed}:${PATH ?? ""}`;
    try {
      await pluginArtifact(language, "official").build(folder, context);
    } finally {
      process.env.PATH = PATH;
    }
    assert.equal(readFileSync(path.join(folder, language.executable), "utf8"), script);
  });
  for (const [whose, isOurs] of [
    ["is taken from the host's home", false],
    ["is not taken from a clone's home, where it may be a bundled one", true],
  ] as const) {
    it(`an official plugin ${whose}`, async () => {
      const { PULUMI_HOME, KINDOWS_CACHE } = process.env;
      const [, plugin = assert.fail()] = bundledPlugins;
      const { kind, name, version, executable } = plugin;
      const [home, cache] = [newFolder(), newFolder()];
      const at = path.join(home, "plugins", `${kind}-${name}-v${version}`);
      const file = path.join(isOurs ? cache : newFolder(), executable);
      mkdirSync(at, { recursive: true });
      writeFileSync(file, "", { mode: 0o755 });
      symlinkSync(file, path.join(at, executable));
      Object.assign(process.env, { PULUMI_HOME: home, KINDOWS_CACHE: cache });
      try {
        const context = { path: newFolder, logFile: "", downloads: "", progress: () => undefined };
        const found = await officialOnThisHost(plugin, context);
        assert.equal(found, isOurs ? undefined : path.join(at, executable));
      } finally {
        for (const [key, value] of Object.entries({ PULUMI_HOME, KINDOWS_CACHE })) {
          if (value === undefined) Reflect.deleteProperty(process.env, key);
          else process.env[key] = value;
        }
      }
    });
  }
  it("every stack needs all of them; existing machines and clusters need no tool for Docker, kind or libvirt", () => {
    assert.deepEqual(all, ["language-nodejs", "command", "docker", "kubernetes"]);
    assert.deepEqual(
      engineTools.existing.map(({ name }) => name),
      ["pulumi", "kubectl"],
    );
  });
  it("every plugin has a version in the engine's home", () => {
    for (const plugin of bundledPlugins) assert.match(homeVersion(plugin), /^\d+\.\d+\.\d+$/);
  });

  it("have a path by kind, name and version", () => {
    const [kind, name, file] = ["resource", "command", "pulumi-resource-command"] as const;
    const place = pluginLink(kind, name, "1.2.1", file);
    assert.equal(place, "plugins/resource-command-v1.2.1/pulumi-resource-command");
    const language = "pulumi-language-nodejs";
    const other = pluginLink("language", "language-nodejs", "3.276.0", language);
    assert.equal(other, `plugins/language-nodejs-v3.276.0/${language}`);
  });

  describe("home", () => {
    const one = { link: "plugins/resource-a-v1.0.0/a", target: "/cache/a-1/a" };
    const two = { link: "plugins/resource-b-v1.0.0/b", target: "/cache/b-1/b" };

    it("has exactly the wanted plugins, and keeps other files", async () => {
      writeFileSync(path.join(folder, "credentials.json"), "{}");
      await assemblePulumiHome([one, two], folder);
      await assemblePulumiHome([{ ...one, target: "/cache/a-2/a" }], folder);
      assert.equal(readlinkSync(path.join(folder, one.link)), "/cache/a-2/a");
      assert.deepEqual(await readdir(path.join(folder, "plugins")), ["resource-a-v1.0.0"]);
      assert.deepEqual((await readdir(folder)).sort(), ["credentials.json", "plugins"]);
    });
    it("keeps the plugins of labs for a stack of existing machines", async () => {
      await assemblePulumiHome([one], folder);
      await linkPlugins([two], folder);
      assert.deepEqual((await readdir(path.join(folder, "plugins"))).length, 2);
    });
    it("keeps a correct link, and leaves no other file", async () => {
      await assemblePulumiHome([one], folder);
      await assemblePulumiHome([one], folder);
      assert.deepEqual(await readdir(path.join(folder, "plugins/resource-a-v1.0.0")), ["a"]);
    });
    it("replaces other files with a link", async () => {
      mkdirSync(path.join(folder, one.link), { recursive: true });
      writeFileSync(path.join(folder, one.link, "file"), "");
      await assemblePulumiHome([one], folder);
      assert.equal(readlinkSync(path.join(folder, one.link)), one.target);
    });
  });

  it("a hash of sources changes with a name or a content that counts, and with nothing else", async () => {
    const hashWith = (name: string, content: string): Promise<string> => {
      writeFileSync(path.join(folder, name), content);
      return hashSources(folder, [folder], (file) => file.endsWith(".go"));
    };
    const first = await hashWith("a.go", "a");
    assert.equal(await hashWith("notes.md", "n"), first);
    const second = await hashWith("a.go", "b");
    assert.notEqual(second, first);
    assert.notEqual(await hashWith("b.go", "b"), second);
  });
});

describe("progress", () => {
  for (const [seconds, text] of [
    [0, "0 s"],
    [0.123, "0.1 s"],
    [9.96, "10 s"],
    [59, "59 s"],
    [59.7, "1 min 00 s"],
    [125, "2 min 05 s"],
    [3599.6, "1 h 00 min"],
    [7320, "2 h 02 min"],
  ] as const) {
    it(`${seconds} s is shown as ${text}`, () => assert.equal(formatSeconds(seconds), text));
  }
});

describe("how busy the processors were", () => {
  const times = (wall: number, programs: number) => ({ wall, programs });
  for (const [what, begun, ended, expected] of [
    [
      "programs against all cores",
      times(10, 5),
      times(730, 1229),
      "made all in 12 min 00 s: 1224 processor seconds, 85 % of 2 cores",
    ],
    ["nothing for a short time", times(10, 5), times(69, 100), undefined],
  ] as const) {
    it(what, () => assert.equal(howBusy(begun, ended, 2), expected));
  }
  it("counts programs that have ended", async () => {
    const { programs } = await timesSoFar();
    await execa(process.execPath, [
      "-e",
      "const end = Date.now() + 300; while (Date.now() < end);",
    ]);
    assert.ok((await timesSoFar()).programs > programs);
  });
});

describe("process identity", () => {
  const rest = "1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0";
  for (const [what, stat, expected] of [
    ["a plain name", "12 (node) S", "4711"],
    ["a name with blanks and brackets", "12 (a) (b c) R", "4711"],
    ["a zombie is dead", "12 (node) Z", undefined],
  ] as const) {
    it(what, () => assert.equal(parseStartTicks(`${stat} ${rest}`), expected));
  }
});
