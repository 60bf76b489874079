import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import { compareStack } from "../../../../cli/preview-diff/compare.ts";
import { Repository } from "../../../../cli/preview-diff/git.ts";
import { markdown } from "../../../../cli/preview-diff/markdown.ts";
import type { StackReport } from "../../../../cli/preview-diff/markdown.ts";
import { newFolder } from "../../new-folder.ts";

const salt = "encryptionsalt: v1:committed";

/** In the engine's place: a program with a setting, a secret and something that is known only when it is up. */
const standIn = String.raw`#!${process.execPath}
const { appendFileSync, readFileSync } = require("node:fs");
const args = process.argv.slice(2);
const written = args.includes("--config-file")
  ? readFileSync(args[args.indexOf("--config-file") + 1], "utf8")
  : "";
if (args[0] === "stack") {
  // As the engine does, which chooses how secrets are sealed.
  appendFileSync("Pulumi." + args.at(-1) + ".yaml", "encryptionsalt: v1:of stack init\n");
} else if (written.includes("v1:committed") || process.env.PULUMI_CONFIG_PASSPHRASE !== "") {
  console.log("the passphrase of these settings is asked for");
  process.exit(1);
} else {
  const size = Number(/size: (\d+)/.exec(written)[1]);
  const urn = (name) => "urn:pulumi:" + args.at(-1) + "::kindows::command:local:Command::" + name;
  const command = (name, inputs, from = {}) => ({
    op: "create",
    urn: urn(name),
    newState: { custom: true, type: "command:local:Command", inputs, propertyDependencies: from },
  });
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const environment = { PASSWORD: "[secret]", SIZE: String(size) };
  const small = { severity: "error", message: process.cwd() + ": size is too small: use 3\n" };
  console.log(
    JSON.stringify({
      steps: [
        command("made", { create: "true", triggers: [size] }),
        command("uses", { create: unknown, environment }, { create: [urn("made")] }),
      ],
      diagnostics: size === 0 ? [small] : [],
    }),
  );
  process.exitCode = size === 0 ? 255 : 0;
}
`;

describe("the difference of two versions", () => {
  const folder = newFolder();
  const repository = new Repository(folder);
  let base: string;
  let report: (stack: string) => Promise<StackReport>;

  const git = async (...args: string[]): Promise<string> => {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    const { stdout } = await promisify(execFile)("git", [...identity, ...args], { cwd: folder });
    return stdout.trim();
  };
  const write = (name: string, text: string): Promise<void> =>
    writeFile(path.join(folder, name), text);
  const settings = (stack: string, size: number): Promise<void> =>
    write(`Pulumi.${stack}.yaml`, `config:\n  kindows:size: ${size}\n${salt}\n`);

  before(async () => {
    await git("init", "--quiet");
    await write(".gitignore", "node_modules\n.kindows\nPulumi.mine.yaml\n");
    await mkdir(path.join(folder, "node_modules"));
    await write("package-lock.json", "{}");
    await write("Pulumi.yaml", "name: kindows\n");
    const program = path.join(folder, "node_modules", "pulumi");
    await writeFile(program, standIn, { mode: 0o755 });
    await settings("one", 1);
    await settings("two", 1);
    await git("add", ".");
    await git("commit", "--quiet", "--message", "base");
    base = await repository.commit("HEAD");

    await settings("one", 2);
    await settings("three", 3);
    await settings("mine", 4);
    await rm(path.join(folder, "Pulumi.two.yaml"));
    const tools = { program, environment: process.env, signal: new AbortController().signal };
    report = async (stack) => {
      const stacks = await repository.stacks(base);
      const head = { folder, stacks: await repository.stacks() };
      return repository.withTree(base, (tree) =>
        compareStack(stack, { base: { folder: tree, stacks }, head }, tools),
      );
    };
  });

  it("finds the stacks and files of both versions, but not what git ignores", async () => {
    assert.deepEqual(await repository.stacks(base), ["one", "two"]);
    assert.deepEqual(await repository.stacks(), ["one", "three"]);
    assert.deepEqual([...(await repository.changedSince(base))].sort(), [
      "Pulumi.one.yaml",
      "Pulumi.three.yaml",
      "Pulumi.two.yaml",
    ]);
  });

  it("tells what a change of settings does, by its properties", async () => {
    const document = markdown({ base: "main", head: "the change" }, [await report("one")]);
    assert.match(
      document,
      /## one: 1 changed, 1 replaced\n\n\*\*Replaced\*\*\n\n- `made` \(command:local:Command\)\n {2}- `triggers\[0\]`: `1` → `2`, which replaces it\n\n\*\*Changed\*\*\n\n- `uses` \(command:local:Command\)\n {2}- `environment\.SIZE`: `1` → `2`\n {2}- `create`: follows `made`\n/,
    );
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
    await settings("one", 0);
    const failed = await report("one");
    assert.equal(failed.difference, undefined);
    assert.deepEqual(failed.troubles, ["head: .: size is too small: use 3"]);
  });

  it("names a commit that does not exist", () =>
    assert.rejects(repository.commit("no-such-branch"), /knows no commit "no-such-branch"/));
});
