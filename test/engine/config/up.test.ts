import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { execa } from "execa";
import { stringify } from "yaml";
import { CopiedProject } from "../plugins/support/sources.ts";

/** Programs of the host that this takes; none that could tell of Docker or libvirt. */
const programs = ["node", "setpriv"];

describe("kindows up, on a host that nothing can be made on", () => {
  it("runs the engine, which takes its options and the program, and says what the host lacks", async () => {
    const project = await CopiedProject.create();
    const { at } = project;
    // Installs packages, and builds images.
    const prepared = "export const prepareStack = (): Promise<void> => Promise.resolve();\n";
    await writeFile(at("cli/prepare/prepare-stack.ts"), prepared);
    await project.put(
      stringify({
        config: {
          // No name that processes of another lab carry.
          "kindows:lab": { name: `up-${process.pid}` },
          "kindows:hypervisor": { domainType: "qemu" },
          "kindows:windows": { image: { kind: "rehearsal" } },
          "kindows:nodes": [{ name: "win-1" }],
        },
      }),
    );
    await mkdir(at("bin"));
    for (const program of programs) {
      const { stdout } = await execa("which", [program]);
      await symlink(stdout, at("bin", program));
    }
    const up = ["up", "--stack", "dev", "--verbose"];
    const { exitCode, all } = await execa(
      process.execPath,
      ["toolchain/program/run.js", "cli/main.ts", ...up],
      {
        ...({ all: true, reject: false, timeout: 300_000 } as const),
        cwd: at(),
        env: {
          ...{ PATH: at("bin"), KINDOWS_CACHE: at("cache") },
          DOCKER_HOST: "unix:///nonexistent/docker.sock",
        },
      },
    );
    assert.equal(exitCode, 1, all);
    assert.match(all, /things are in the way on this host; nothing was changed:/, all);
    assert.match(all, /libvirt \(qemu:\/\/\/system\) can't be reached/);
  });
});
