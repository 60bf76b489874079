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

const stacks = {
  "a rehearsal": {
    settings: {
      "kindows:hypervisor": { domainType: "qemu" },
      "kindows:windows": { image: { kind: "rehearsal" } },
      "kindows:nodes": [{ name: "win-1" }],
    },
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
    const { settings, missing } = stack;
    await clone.put(stringify({ config: settings }));
    const before = await readdir(at("cache"), { recursive: true });
    const { all, exitCode } = await execa(
      process.execPath,
      ["toolchain/program/run.js", "cli/main.ts", "preview", "--stack", "dev"],
      {
        ...{ all: true, reject: false, timeout: 300_000, cwd: clone.at() },
        env: { KINDOWS_CACHE: at("cache"), DOCKER_HOST: "unix:///nonexistent/docker.sock" },
      },
    );
    assert.equal(exitCode, 0, all);
    assert.match(all, /^ \+ .*win-1/m);
    const line = /^.*to be prepared by `up` first: (.*)$/m.exec(all)?.[1] ?? assert.fail(all);
    for (const each of missing) assert.match(line, each);
    assert.deepEqual(await readdir(at("cache"), { recursive: true }), before);
  });
});
