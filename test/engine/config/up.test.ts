import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { execa } from "execa";
import { stringify } from "yaml";
import { engineEnvironment } from "../../../cli/engine/environment.ts";
import { backendUrl } from "../../../cli/engine/folders.ts";
import { builtTool } from "../../../toolchain/built.ts";
import { CopiedProject } from "../plugins/support/sources.ts";

/** Programs of the host that this takes; none that could tell of Docker or libvirt. */
const programs = ["node", "setpriv"];

describe("up, on a host that nothing can be made on", () => {
  let at: CopiedProject["at"];

  before(async () => {
    const project = await CopiedProject.create();
    ({ at } = project);
    // Installs packages, and builds images.
    const prepared = `import { say } from "../progress.ts";
      export const prepareStack = async (): Promise<void> => say("the host is prepared");
      export { prepareStack as prepareExisting, prepareStack as unprepared };\n`;
    await writeFile(at("cli/prepare/prepare.ts"), prepared);
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
  });

  const lacks = async (
    [program = "", ...args]: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const { exitCode, all } = await execa(program, [...args, "--stack", "dev"], {
      ...({ all: true, reject: false, timeout: 300_000, cwd: at() } as const),
      env: {
        PATH: at("bin"),
        KINDOWS_CACHE: at("cache"),
        ...more,
        DOCKER_HOST: "unix:///nonexistent/docker.sock",
      },
    });
    assert.notEqual(exitCode, 0, all);
    assert.match(all, /things are in the way on this host; nothing was changed:/, all);
    assert.match(all, /libvirt \(qemu:\/\/\/system\) can't be reached/);
    return all;
  };

  it("kindows up runs the engine, which takes its options and the program, and says what the host lacks", async () => {
    const kindows = [process.execPath, "toolchain/program/run.js", "cli/main.ts"];
    const said = await lacks([...kindows, "up", "--verbose"]);
    assert.equal(said.split("the host is prepared").length, 2, said);
  });

  it("plain pulumi up prepares the host as well", async () => {
    const environment = engineEnvironment({ ...process.env, PATH: at("bin") });
    const said = await lacks([builtTool("pulumi"), "up", "--yes", "--skip-preview"], {
      ...environment,
      PULUMI_BACKEND_URL: backendUrl(at(".kindows", "state")),
    });
    assert.match(said, /the host is prepared/);
  });
});
