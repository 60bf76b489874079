import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { compareStack } from "../../../cli/preview-diff/compare.ts";
import { Repository } from "../../../cli/preview-diff/git.ts";
import { markdown } from "../../../cli/preview-diff/markdown.ts";
import type { StackReport } from "../../../cli/preview-diff/markdown.ts";
import { pulumiHome } from "../plugins/support/installed-plugins.ts";
import { findTool } from "../plugins/support/tool.ts";

const clone = path.resolve(import.meta.dirname, "../../..");
const salt = "encryptionsalt: v1:committed";

/** A program with a setting, a secret and something that is known only when it is up. */
const program = (more = ""): string => `
import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
const size = new pulumi.Config("kindows").requireNumber("size");
const made = new local.Command("made", { create: "true", triggers: [size] });
new local.Command("uses", {
  create: pulumi.interpolate\`use \${made.stdout}\`,
  environment: { PASSWORD: pulumi.secret("s3cret-" + size), SIZE: String(size) },
});
${more}`;

describe("the difference of two versions, in the engine", function () {
  this.timeout(180_000);
  let folder: string;
  let repository: Repository;
  let base: string;
  let report: (stack: string) => Promise<StackReport>;

  const git = async (...args: string[]): Promise<string> => {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    return (
      await promisify(execFile)("git", [...identity, ...args], { cwd: folder })
    ).stdout.trim();
  };
  const write = (name: string, text: string): Promise<void> =>
    writeFile(path.join(folder, name), text);
  const settings = (stack: string, size: number): Promise<void> =>
    write(`Pulumi.${stack}.yaml`, `config:\n  kindows:size: ${size}\n${salt}\n`);

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "kindows-compare-"));
    repository = new Repository(folder);
    await git("init", "--quiet");
    await write(".gitignore", "node_modules\n.kindows\nPulumi.mine.yaml\n");
    await symlink(path.join(clone, "node_modules"), path.join(folder, "node_modules"));
    await mkdir(path.join(folder, ".kindows"));
    await write(".kindows/artifacts.json", "{}");
    await write("package.json", '{ "type": "module", "main": "index.js" }');
    await write("package-lock.json", "{}");
    await write(
      "Pulumi.yaml",
      "name: kindows\nruntime: { name: nodejs, options: { typescript: false } }\n",
    );
    await write("index.js", program());
    await settings("one", 1);
    await settings("two", 1);
    await git("add", ".");
    await git("commit", "--quiet", "--message", "base");
    base = await repository.commit("HEAD");

    await settings("one", 2);
    await settings("three", 3);
    await settings("mine", 4);
    await rm(path.join(folder, "Pulumi.two.yaml"));
    const tools = {
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
    };
    report = async (stack) => {
      const stacks = { base: await repository.stacks(base), head: await repository.stacks() };
      return repository.withTree(base, (tree) =>
        compareStack(
          stack,
          {
            base: { folder: tree, stacks: stacks.base },
            head: { folder, stacks: stacks.head },
          },
          tools,
        ),
      );
    };
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("finds the stacks and files of both versions, but not what git ignores", async () => {
    assert.deepEqual(await repository.stacks(base), ["one", "two"]);
    assert.deepEqual(await repository.stacks(), ["one", "three"]);
    assert.deepEqual([...(await repository.changedSince(base))].sort(), [
      "Pulumi.one.yaml",
      "Pulumi.three.yaml",
      "Pulumi.two.yaml",
    ]);
  });

  it("tells what a change of settings does, and no secret", async () => {
    const document = markdown({ base: "main", head: "the change" }, [await report("one")]);
    assert.match(
      document,
      /## one: 1 changed, 1 made anew\n\n\*\*Made anew\*\*\n\n- `made` \(command:local:Command\)\n {2}- `triggers\[0\]`: `1` → `2`, makes it anew\n\n\*\*Changed\*\*\n\n- `uses` \(command:local:Command\)\n {2}- `environment\.SIZE`: `1` → `2`\n {2}- `create`: follows `made`\n/,
    );
    assert.ok(!document.includes("s3cret"));
  });

  it("writes nothing into the settings, and leaves nothing behind", async () => {
    assert.ok((await readFile(path.join(folder, "Pulumi.one.yaml"), "utf8")).endsWith(`${salt}\n`));
    assert.equal((await git("worktree", "list")).split("\n").length, 1);
    let tree = "";
    await assert.rejects(
      repository.withTree(base, (project) => {
        tree = project;
        return Promise.reject(new Error("in the middle"));
      }),
      /in the middle/,
    );
    await assert.rejects(access(tree), /ENOENT/);
    assert.equal((await git("worktree", "list")).split("\n").length, 1);
  });

  it("tells a stack that is new, and one that goes", async () => {
    const [fresh, going] = [await report("three"), await report("two")];
    assert.equal(fresh.only, "head");
    assert.deepEqual(
      fresh.difference?.created.map(({ name }) => name),
      ["made", "uses"],
    );
    assert.equal(going.only, "base");
    assert.equal(going.difference?.deleted.length, 2);
  });

  it("says what the program says, where it fails", async () => {
    await write("index.js", program('throw new Error("size is too small: use 3");'));
    const failed = await report("one");
    assert.equal(failed.difference, undefined);
    assert.match(failed.troubles.join("\n"), /^head: .*size is too small: use 3/m);
    assert.ok(!failed.troubles.join("\n").includes(folder));
    await write("index.js", program());
  });

  it("names a commit that does not exist", async () => {
    await assert.rejects(repository.commit("no-such-branch"), /knows no commit "no-such-branch"/);
  });
});
