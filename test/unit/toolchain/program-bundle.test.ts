import assert from "node:assert/strict";
import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { projectRoot } from "../../../toolchain/project.ts";
import { bundlePrograms } from "../../../toolchain/program/bundle.ts";
import * as thinRuntime from "../../../toolchain/program/sdk-runtime.ts";
import * as thinSdk from "../../../toolchain/program/sdk.ts";
import { newFolder } from "../new-folder.ts";

describe("bundle of the program", () => {
  let folder: string;

  beforeEach(async () => {
    folder = newFolder();
    // What a bundle does not bring is looked for above it.
    await symlink(path.join(projectRoot, "node_modules"), path.join(folder, "node_modules"));
  });

  /** Bundles a program with this text, and loads it. */
  async function bundled(text: string): Promise<Record<string, unknown>> {
    const entry = path.join(folder, "source", "sample.ts");
    await mkdir(path.dirname(entry), { recursive: true });
    await writeFile(entry, text);
    await bundlePrograms(path.dirname(entry), ["sample.ts"], path.join(folder, "out"));
    const file = pathToFileURL(path.join(folder, "out", "sample.mjs")).href;
    return (await import(file)) as Record<string, unknown>;
  }

  it("knows where its sources were", async () => {
    const program = await bundled(`
      export const url = import.meta.url;
      export const folder = import.meta.dirname;
    `);
    const source = path.join(folder, "source");
    assert.equal(program["url"], pathToFileURL(path.join(source, "sample.ts")).href);
    assert.equal(program["folder"], source);
  });

  it("uses the modules of the SDK that the engine's start module has loaded", async () => {
    const program = await bundled(`
      import * as pulumi from "@pulumi/pulumi";
      export const { Output, ComponentResource } = pulumi;
    `);
    const sdk = await import("@pulumi/pulumi");
    assert.equal(program["Output"], sdk.Output);
    assert.equal(program["ComponentResource"], sdk.ComponentResource);
  });

  it("has of the SDK what the program and its providers' packages use, and nothing that is slow to load", async () => {
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
