import assert from "node:assert/strict";
import { appendFile, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { build } from "esbuild";

import { copySources } from "../../engine/plugins/support/sources.ts";
import { bundlePrograms } from "../../../toolchain/program/bundle.ts";
import { pluginSources } from "../../../cli/engine/plugin-artifact.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { inNewFolder } from "../new-folder.ts";

const program = "test/unit/toolchain/artifact-keys.ts";

describe("keys of artifacts in the cache", () => {
  const at = inNewFolder();
  let clones: readonly [string, string];
  /** Of the first one, from its sources. */
  let expected: Readonly<Record<string, string>>;

  before(async () => {
    clones = [at("a"), at("a clone", "with a longer path")];
    for (const clone of clones) {
      await mkdir(path.join(clone, path.dirname(program)), { recursive: true });
      const files = ["package.json", "package-lock.json", "software.lock.json", "Pulumi.yaml"];
      await copySources(clone, [...files, program]);
      for (const name of ["node_modules", "sdks"]) {
        await symlink(path.join(projectRoot, name), path.join(clone, name));
      }
      const file = "Pulumi.dev-2025.yaml";
      const settings = await readFile(path.join(projectRoot, file), "utf8");
      const accepted = settings.replace("acceptLicence: false", "acceptLicence: true");
      assert.notEqual(accepted, settings);
      await writeFile(path.join(clone, file), accepted);
    }
    expected = await keys(clones[0], "sources");
  });

  /** The keys by name, as a clone makes them from its sources, or from a bundle of them. */
  async function keys(clone: string, from: "sources" | "bundle"): Promise<typeof expected> {
    let args = ["--import", "tsx", program];
    if (from === "bundle") {
      const folder = path.join(clone, ".kindows", "program", "bundle");
      await bundlePrograms(clone, [program], folder);
      args = [path.join(folder, program.replace(/\.ts$/, ".mjs"))];
    }
    const env = { KINDOWS_CACHE: at("cache") };
    const { stdout } = await execa(process.execPath, args, { cwd: clone, env });
    return JSON.parse(stdout) as typeof expected;
  }

  it("are the same in every clone, from sources and from the bundle, and whatever changes in cli/", async () => {
    const [one, other] = clones;
    assert.ok(Object.keys(expected).length > 30);
    assert.deepEqual(await keys(one, "bundle"), expected);
    await appendFile(path.join(other, "cli/stack-settings.ts"), "export const added = 1;\n");
    assert.deepEqual(await keys(other, "sources"), expected);
    assert.deepEqual(await keys(other, "bundle"), expected);
  });

  it("of a program do not depend on other programs of its Go module", async () => {
    const [clone] = clones;
    await appendFile(path.join(clone, "offline/modules/kubernetes/coredns/main.go"), "// More\n");
    const changed = Object.entries(await keys(clone, "bundle"))
      .filter(([name, key]) => expected[name] !== key)
      .map(([name]) => name);
    assert.deepEqual(changed.sort(), ["coredns", "linux-programs", "node-image"]);
  });

  it("are all in this test", async () => {
    const tested = await readFile(path.join(projectRoot, program), "utf8");
    const folders = ["cli", "components", "images", "offline", "rehearsal", "toolchain"];
    const files = await Promise.all(
      folders.map(async (folder) =>
        (await readdir(path.join(projectRoot, folder), { recursive: true }))
          .filter((file) => file.endsWith(".ts"))
          .map((file) => path.join(folder, file)),
      ),
    );
    const ofTools = "toolchain/tools/tool-artifact.ts";
    const forgotten = [];
    for (const file of files.flat()) {
      const text = await readFile(path.join(projectRoot, file), "utf8");
      const makes = /\bhostPackages: (?!readonly)|\b(toolArtifact|releasedTool)\(/.test(text);
      if (makes && file !== ofTools && !tested.includes(file)) forgotten.push(file);
    }
    assert.deepEqual(forgotten, []);
  });

  it("of bundled plugins cover all that is bundled", async () => {
    const { metafile } = await build({
      absWorkingDir: projectRoot,
      entryPoints: ["offline/plugins/main.ts"],
      ...{ bundle: true, platform: "node", format: "esm", write: false, metafile: true },
      ...{ splitting: true, outdir: ".", logLevel: "silent", external: ["*.node", "cpu-features"] },
    });
    const covered = ["node_modules", ...pluginSources];
    const missing = Object.keys(metafile.inputs).filter(
      (file) => !covered.some((name) => file.startsWith(`${name}/`)),
    );
    assert.deepEqual(missing, []);
  });
});
