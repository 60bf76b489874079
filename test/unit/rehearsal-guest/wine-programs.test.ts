import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mock } from "node:test";
import { WinePrograms } from "../../../rehearsal/guest/wine-programs.ts";
import type { Route } from "../../../rehearsal/host/routes.ts";
import { ProgramTimeout } from "../../../rehearsal/host/programs.ts";
import { newFolder } from "../new-folder.ts";

describe("a Windows program under Wine", () => {
  const folder = newFolder();
  before(() => writeFile(join(folder, "program.exe"), ""));
  afterEach(() => mock.restoreAll());

  /** Programs that a shell stands in for: what it runs is the first argument. */
  const programs = (started: (child: ChildProcess) => unknown = () => undefined): WinePrograms =>
    new WinePrograms({
      driveC: folder,
      bootTime: new Date(),
      hostsFile: "/nonexistent",
      routesFile: join(folder, "routes"),
      routesScript: join(folder, "make-routes"),
      rebootScript: "/nonexistent",
      start: (_exe, [script = ""], { cwd, stdio }) => {
        const child = spawn("sh", ["-c", script], { cwd, stdio, detached: true });
        started(child);
        return child;
      },
    });

  const ends: readonly [
    name: string,
    script: string,
    exitCode: number,
    out: string,
    err: string,
  ][] = [
    ["by itself", "echo done; echo said >&2; exit 3", 3, "done\n", "said\n"],
    ["killed", "echo begun; kill -KILL $$", 1, "begun\n", "(ended under Wine by SIGKILL)"],
    ["crashed", "echo why >&2; kill -SEGV $$", 1, "", "why\n(ended under Wine by SIGSEGV)"],
  ];
  for (const [name, script, exitCode, stdout, stderr] of ends) {
    it(`that ended ${name} says so`, async () => {
      const run = programs().run("C:\\program.exe", [script], { timeoutSeconds: 600 });
      assert.deepEqual(await run, { exitCode, stdout, stderr });
    });
  }

  it("finds its routes made, and those that are not wanted any more removed", async () => {
    const said = join(folder, "said");
    // In place of the guest's own: writes down what it is to remove, and what stands in the file.
    const script = `#!/bin/sh\n{ echo "gone: $*"; cat ${join(folder, "routes")}; } > ${said}\n`;
    await writeFile(join(folder, "make-routes"), script, { mode: 0o755 });
    const [pods, services] = ["10.244.0.0/16", "10.96.0.0/16"];
    const steps: readonly [routes: readonly Route[], text: string][] = [
      [[], "gone: \n"],
      [
        [
          { destination: pods, nextHop: "192.0.2.1" },
          { destination: services, nextHop: "192.0.2.1" },
        ],
        `gone: \n${pods} via 192.0.2.1\n${services} via 192.0.2.1\n`,
      ],
      [
        [{ destination: services, nextHop: "192.0.2.2" }],
        `gone: ${pods}\n${services} via 192.0.2.2\n`,
      ],
      [[], `gone: ${services}\n`],
    ];
    for (const [routes, text] of steps) {
      await programs().setRoutes(routes);
      assert.equal(await readFile(said, "utf8"), text);
    }
    await writeFile(join(folder, "make-routes"), "#!/bin/sh\necho unreachable >&2; exit 1\n");
    await assert.rejects(programs().setRoutes([]), /unreachable/);
  });

  it("that does not end is stopped, with what it wrote", async () => {
    const limit = mock.method(globalThis, "setTimeout", () => undefined);
    // Its time is over when it has begun.
    const end = (): void => (limit.mock.calls[0]?.arguments as [() => void] | undefined)?.[0]();
    const run = programs(({ stdout }) => stdout?.once("data", end));
    await assert.rejects(
      run.run("C:\\program.exe", ["echo begun; sleep 3600"], { timeoutSeconds: 90 }),
      (error) => error instanceof ProgramTimeout && error.output === "begun\n",
    );
    assert.equal((limit.mock.calls[0]?.arguments as unknown[])[1], 90_000);
  });
});
