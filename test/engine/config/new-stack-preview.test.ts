import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { stringify } from "yaml";
import { eachCase } from "../../unit/each-case.ts";
import { inNewFolder } from "../../unit/new-folder.ts";
import { CopiedProject } from "../plugins/support/sources.ts";
import { cacheRoot } from "../../../toolchain/own-cache.ts";

/** What `make test` has in the cache and a preview needs. */
const ofEngine = /^(pulumi|kubectl|kind|terraform-provider-libvirt|plugin)-(?!.*files)/;

/** What is in the settings, as `kindows init` writes them or by hand, and what `up` would prepare. */
const stacks = {
  "a rehearsal, by what init has written": {
    init: ["--image", "rehearsal", "--workers", "1"],
    missing: [/rehearsal-debian/, /rehearsal-image-baked/, /kindest\/node/],
  },
  "Windows from an ISO, and a Linux machine": {
    settings: {
      "kindows:windows": { image: { kind: "evaluation-iso", acceptLicence: false } },
      "kindows:nodes": [{ name: "win-1" }, { name: "linux-1", os: "linux" }],
    },
    missing: [/linux-image/, /linux-programs/, /the Windows image/],
  },
};

describe("kindows preview of a new stack, on a host with nothing but the engine", () => {
  const at = inNewFolder();
  let clone: CopiedProject;

  const kindows = async (...args: readonly string[]): Promise<string> => {
    const { all, exitCode } = await execa(
      process.execPath,
      ["toolchain/program/run.js", "cli/main.ts", ...args],
      {
        ...{ all: true, reject: false, timeout: 300_000, cwd: clone.at() },
        env: { KINDOWS_CACHE: at("cache"), DOCKER_HOST: "unix:///nonexistent/docker.sock" },
      },
    );
    assert.equal(exitCode, 0, all);
    return all;
  };

  before(async () => {
    clone = await CopiedProject.create();
    const record = clone.at(".kindows/artifacts.json");
    const { tools } = JSON.parse(await readFile(record, "utf8")) as { tools: object };
    await rm(record);
    await writeFile(record, JSON.stringify({ tools }));
    await mkdir(at("cache/artifacts"), { recursive: true });
    for (const name of await readdir(path.join(cacheRoot(), "artifacts"))) {
      if (!ofEngine.test(name)) continue;
      await symlink(path.join(cacheRoot(), "artifacts", name), at("cache/artifacts", name));
    }
  });

  eachCase("%s: shows what is to be prepared, and prepares nothing", stacks, async (stack) => {
    const name = "init" in stack ? "mine" : "dev";
    if ("init" in stack) await kindows("init", name, ...stack.init);
    else await clone.put(stringify({ config: stack.settings }));
    const before = await readdir(at("cache"), { recursive: true });
    const all = await kindows("preview", "--stack", name);
    assert.match(all, /^ \+ .*win-1/m);
    const line = /^.*to be prepared by `up` first: (.*)$/m.exec(all)?.[1] ?? assert.fail(all);
    for (const each of stack.missing) assert.match(line, each);
    assert.deepEqual(await readdir(at("cache"), { recursive: true }), before);
  });
});
