import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";

import { repository } from "./documented-commands.ts";
import { commandsToRun } from "./make-commands.ts";

/** The longest of them, `doctor`, asks the host for a dozen things, each with an end of its own. */
const limitSeconds = 120;
const commands = await commandsToRun(false);

describe("commands in the documents, in a clone that has nothing yet", function () {
  this.timeout((limitSeconds + 10) * 1000);
  let clone: string;
  let environment: NodeJS.ProcessEnv;

  before(async () => {
    clone = await mkdtemp(path.join(os.tmpdir(), "kindows-clone-"));
    for (const name of await readdir(repository)) {
      if (name === "node_modules") {
        await symlink(path.join(repository, name), path.join(clone, name));
      } else if (!name.startsWith(".")) {
        await cp(path.join(repository, name), path.join(clone, name), {
          recursive: true,
          preserveTimestamps: true,
        });
      }
    }
    const home = path.join(clone, "home");
    await mkdir(home);
    environment = {
      PATH: process.env["PATH"],
      HOME: home,
      KINDOWS_CACHE: path.join(home, "cache"),
      // Only read from here, and no image of this host's is any business of an empty cache.
      DOCKER_HOST: "unix:///nonexistent/docker.sock",
    };
  });
  after(() => rm(clone, { recursive: true, force: true }));

  it("are run by a script that only looks for Node.js packages first", async () => {
    const lines = (await readFile(path.join(repository, "kindows"), "utf8")).trim().split("\n");
    assert.deepEqual(lines.slice(-2), [
      "./toolchain/dependencies.sh",
      'exec node toolchain/program/run.js cli/main.ts "$@"',
    ]);
  });

  it("are a dozen and more", () => assert.ok(commands.length >= 12, `${commands.length}`));

  for (const { args, expected } of commands) {
    it(`kindows ${args.join(" ")}: ends as it should, and says what it should`, async () => {
      const { exitCode, all } = await execa(
        process.execPath,
        ["toolchain/program/run.js", "cli/main.ts", ...args],
        {
          cwd: clone,
          env: environment,
          extendEnv: false,
          reject: false,
          all: true,
          stdin: "ignore",
          timeout: limitSeconds * 1000,
        },
      );
      assert.ok(expected.exitCodes.includes(exitCode ?? -1), `${exitCode}\n${all}`);
      assert.match(all, expected.says);
    });
  }

  it("complete bash's command lines: what is sourced is bash", async () => {
    const command =
      "source <(node toolchain/program/run.js cli/main.ts completion bash) && complete -p kindows";
    const { stdout } = await execa("bash", ["-c", command], {
      cwd: clone,
      env: environment,
      extendEnv: false,
    });
    assert.match(stdout, /^complete .*kindows$/);
  });
});
