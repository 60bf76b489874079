import assert from "node:assert/strict";
import type { RunOptions } from "../../../../rehearsal/machine/programs.ts";
import { stepCommand } from "./ssh-client.ts";
import { assertDone, assertFails, hostFor, prepareThrough, runStep } from "./step-runner.ts";

describe("Import-Image, rehearsed", () => {
  const machine = hostFor("each");
  const archive = "C:\\kindows\\load-0.tar";
  const calls: string[] = [];
  /** What ctr lists after the import. */
  let listed: string;
  const good = [
    ...["-Archive", archive, "-Images", "docker.io/library/app:1"],
    ...["-Sha256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ];
  const run = () => runStep(machine, "Import-Image", good);
  const isThere = () => machine.windows.drive.isFile(archive);

  beforeEach(async () => {
    calls.length = 0;
    listed = "docker.io/library/app:1\r\nregistry.k8s.io/pause:3.10.2\r\n";
    await prepareThrough(machine, "Install-Containerd");
    await machine.windows.drive.write(archive, "");
    const { programs } = machine;
    const original = programs.run.bind(programs);
    programs.run = (exe, args, options: RunOptions) => {
      if (!exe.endsWith("\\ctr.exe")) return original(exe, args, options);
      calls.push(args.join(" "));
      return Promise.resolve({
        exitCode: 0,
        stdout: args.includes("list") ? listed : "",
        stderr: "",
      });
    };
  });

  it("has ctr import the archive for Kubernetes, and removes it", async () => {
    await assertDone(run(), true, { images: ["docker.io/library/app:1"] });
    assert.equal(calls[0], `--namespace k8s.io images import --no-unpack ${archive}`);
    assert.equal(await isThere(), false);
  });

  it("fails for an image that is not there afterwards, and removes the archive", async () => {
    listed = "docker.io/library/app:10\r\n";
    await assertFails(run(), "CommandFailed", /without docker\.io\/library\/app:1\.$/, /Windows/);
    assert.equal(await isThere(), false);
  });

  it("imports nothing whose content is another one", async () => {
    await machine.windows.drive.write(archive, "x");
    await assertFails(run(), "ChecksumMismatch", /e3b0c44/, /kindows load/);
    assert.deepEqual(calls, []);
    assert.equal(await isThere(), false);
  });

  it("takes no path outside of its folder, and no list that ctr would take for a flag", async () => {
    for (const [at, value] of [
      [1, "C:\\Windows\\a.tar"],
      [3, "--all"],
    ] as const) {
      const { exitCode } = await runStep(machine, "Import-Image", good.with(at, value));
      assert.equal(exitCode, 1, stepCommand("Import-Image", good.with(at, value)));
    }
    assert.deepEqual(calls, []);
  });
});
