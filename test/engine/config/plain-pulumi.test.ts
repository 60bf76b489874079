import assert from "node:assert/strict";
import { appendFile, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { stringify } from "yaml";
import { backendUrl } from "../../../cli/engine/folders.ts";
import { projectConfig } from "../../../config/write-schema-files.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { inNewFolder } from "../../unit/new-folder.ts";
import { runPulumi } from "../plugins/support/engine.ts";
import { freshClone } from "../plugins/support/sources.ts";

describe("plain pulumi in a fresh clone", () => {
  const clone = inNewFolder();

  const pulumi = (...args: readonly string[]) =>
    runPulumi(clone(), "plain", args, {
      PULUMI_BACKEND_URL: backendUrl(clone("state")),
      KINDOWS_PREVIEW: "anywhere",
    });

  before(async () => {
    await freshClone(clone());
    await symlink(path.join(projectRoot, "node_modules"), clone("node_modules"));
    await mkdir(clone("state"));
    const made = await pulumi("stack", "init");
    assert.equal(made.exitCode, 0, made.said);
  });

  it("npm compiles the libvirt SDK", async () => {
    const cwd = clone();
    await execa("npm", ["run", "postinstall"], { cwd });
    const { stdout } = await execa("node", ["-p", 'require("./sdks/libvirt").Domain.name'], {
      cwd,
    });
    assert.equal(stdout, "Domain");
  });

  it("pulumi config shows every setting, with the default of what is left out", async () => {
    const { said } = await pulumi("config", "--json");
    const shown = Object.entries(JSON.parse(said) as Record<string, Record<string, unknown>>);
    assert.deepEqual(
      Object.fromEntries(shown.map(([key, { value, objectValue = value }]) => [key, objectValue])),
      Object.fromEntries(
        Object.entries(projectConfig()).map(([name, { default: value }]) => [
          `kindows:${name}`,
          // Pulumi shows it as text.
          typeof value === "boolean" ? String(value) : value,
        ]),
      ),
    );
  });

  it("a setting of another type is refused", async () => {
    const settings = clone("wrong.yaml");
    await writeFile(settings, stringify({ config: { "kindows:nodes": ["win-1"] } }));
    const { exitCode, said } = await pulumi("preview", "--config-file", settings);
    assert.notEqual(exitCode, 0);
    assert.match(said, /configuration key 'nodes' must be of type 'array<object>'/);
  });

  it("a preview runs index.ts, also where no bundle of it can be made", async () => {
    await mkdir(clone(".kindows"));
    await writeFile(clone(".kindows", "program"), "in the way of the folder for bundles");
    await appendFile(
      clone("Pulumi.plain.yaml"),
      stringify({ config: { "kindows:nodes": [{ name: "win-1" }] } }),
    );
    const { exitCode, said } = await pulumi("preview");
    assert.equal(exitCode, 0, said);
    assert.match(said, /kindows:windows:WindowsNode win-1 create/);
  });
});
