import assert from "node:assert/strict";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { previewOf } from "../../../cli/preview-diff/preview.ts";
import type { Previewed } from "../../../cli/preview-diff/previewed.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { pulumiHome } from "../plugins/support/installed-plugins.ts";
import { findTool } from "../plugins/support/tool.ts";

describe("a preview by the engine", () => {
  let folder: string;
  const preview = async (program: string): Promise<Previewed> => {
    await writeFile(
      path.join(folder, "index.js"),
      `import * as pulumi from "@pulumi/pulumi";
       import { local } from "@pulumi/command";
       const size = new pulumi.Config("kindows").requireNumber("size");
       ${program}`,
    );
    return previewOf(folder, "one", {
      program: findTool("pulumi"),
      environment: {
        ...process.env,
        PULUMI_HOME: pulumiHome(),
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
        PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
      },
      signal: new AbortController().signal,
    });
  };

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "kindows-preview-"));
    await symlink(path.join(projectRoot, "node_modules"), path.join(folder, "node_modules"));
    for (const [name, text] of [
      ["package.json", '{ "type": "module", "main": "index.js" }'],
      ["Pulumi.yaml", "name: kindows\nruntime: { name: nodejs, options: { typescript: false } }\n"],
      ["Pulumi.one.yaml", "config:\n  kindows:size: 2\nencryptionsalt: v1:of-nobody\n"],
    ] as const) {
      await writeFile(path.join(folder, name), text);
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("tells settings, but no secret, and nothing that is known only when it is up", async () => {
    const { resources } = await preview(
      `const made = new local.Command("made", { create: "true" });
       new local.Command("uses", {
         create: pulumi.interpolate\`use \${made.stdout}\`,
         environment: { PASSWORD: pulumi.secret("s3cret-" + size), SIZE: String(size) },
       });`,
    );
    const { inputs } = resources.find(({ name }) => name === "uses") ?? assert.fail("no command");
    assert.deepEqual(inputs["environment"], { PASSWORD: { hidden: "secret" }, SIZE: "2" });
    assert.deepEqual(inputs["create"], { hidden: "known after up" });
  });

  it("says what the program says, where it fails", async () => {
    await assert.rejects(
      preview('throw new Error("size is too small: use 3");'),
      ({ message }: Error) => {
        assert.match(message, /size is too small: use 3/);
        assert.ok(!message.includes(folder), message);
        return true;
      },
    );
  });
});
