import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mock } from "node:test";
import { execa } from "execa";

import { WinePrograms } from "../../../../rehearsal/guest/wine-programs.ts";
import type { Route } from "../../../../rehearsal/machine/state.ts";
import { imageSources } from "../../../../rehearsal/image/artifact.ts";
import { buildCommand } from "../../../../rehearsal/image/build-command.ts";
import { bundleGuestProgram } from "../../../../rehearsal/image/guest-program.ts";
import { projectRoot } from "../../../../toolchain/project.ts";
import { inNewFolder, newFolder } from "../../new-folder.ts";

/** What a module of the build prints for a user who is not root. */
async function asNobody(expression: string, path = process.env["PATH"] ?? ""): Promise<string> {
  const isRoot = process.getuid?.() === 0;
  const nobody = isRoot ? { uid: 65_534, gid: 65_534 } : {};
  // Node.js may lie in root's cache, where nobody else may run it.
  const at = inNewFolder();
  chmodSync(at(), 0o755);
  const node = isRoot ? at("node") : process.execPath;
  if (isRoot) copyFileSync(process.execPath, node);
  const script = `
    import { buildCommand, requireRootOfOwn } from "./rehearsal/image/build-command.ts";
    process.stdout.write(await ${expression});`;
  const { stdout } = await execa(
    node,
    ["--import", "tsx", "--input-type=module", "--eval", script],
    { ...nobody, cwd: projectRoot, env: { TSX_DISABLE_CACHE: "1", PATH: path } },
  );
  return stdout;
}

describe("programs that the rehearsal's image is built with", () => {
  it("find themselves root, and may mount, also where the user is not", async () => {
    const command = "id --user && unshare --mount sh -c 'mount --rbind /sys /sys && echo mounted'";
    const run = `buildCommand("/dev/null")("sh", ["-c", ${JSON.stringify(command)}])`;
    assert.equal(await asNobody(run), "0\nmounted");
  });

  it("are not begun with where users get no namespace, by a message that says so", async () => {
    const at = inNewFolder();
    chmodSync(at(), 0o755);
    writeFileSync(at("unshare"), "#!/bin/sh\necho denied >&2\nexit 1\n", { mode: 0o755 });
    const message = await asNobody(
      "requireRootOfOwn().catch(({ message }) => message)",
      `${at()}:${process.env["PATH"] ?? ""}`,
    );
    assert.match(message, /user namespace, which this host does not give you \(denied\): run this/);
  });

  it("ask once more for what a mirror did not give", async () => {
    const at = inNewFolder();
    const once = `mkdir "$1" && echo "no packages" >&2 && exit 1; echo done`;
    const run = (...args: readonly string[]): Promise<string> =>
      buildCommand(at("log"))("sh", ["-c", once, ...args]);
    assert.equal(await run("--download-only", at("first")), "done");
    await assert.rejects(run("--print-debs", at("second")), /no packages/);
  });
});

/** Where the guest's program has its files: itself, and who the machine is. */
const guestFolders = /\/opt\/kindows|\/run\/identity/g;

describe("the guest's program, as the image has it", () => {
  it("starts, freshly compiled and as it was compiled before, and goes on to the identity disk", async () => {
    const at = inNewFolder();
    const bundled = await bundleGuestProgram(at());
    // What it is bundled from decides whether the image is up to date.
    const sources = ["node_modules/", ...imageSources];
    assert.deepEqual(
      bundled.filter((name) => !sources.some((source) => name.startsWith(source))),
      [],
    );
    for (const name of ["start.js", "main.js"]) {
      writeFileSync(at(name), readFileSync(at(name), "utf8").replace(guestFolders, at()));
    }
    for (const wasCompiled of [false, true]) {
      assert.equal(existsSync(at("main.compiled")), wasCompiled);
      const guest = execa(process.execPath, [at("start.js")], {
        ...({ all: true, reject: false, timeout: 60_000 } as const),
      });
      let said = "";
      for await (const line of guest.iterable({ from: "all" })) {
        said += `${line}\n`;
        // It would try again in ten seconds.
        if (line.includes("can't serve")) guest.kill();
      }
      assert.match(said, /can't serve: ENOENT: no such file or directory, open '.*\/user-data'\n$/);
      assert.equal((await guest).exitCode, 0);
    }
  });
});

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
      /did not end within 90 s and was stopped: begun\n$/,
    );
    assert.equal((limit.mock.calls[0]?.arguments as unknown[])[1], 90_000);
  });
});
