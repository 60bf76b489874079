import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import {
  goodArguments,
  installContainerd,
  prepareThrough,
  startWithSteps,
  withArgument,
} from "./step-runner.ts";

describe("crictl, rehearsed", () => {
  let host: RehearsalHost;
  beforeEach(async () => {
    host = await startWithSteps();
  });
  afterEach(() => host.stop());

  it("comes beside containerd, knows where that serves, and goes when it is left out", async () => {
    await prepareThrough(host, "Confirm-Reboot");
    const folder = "C:\\Program Files\\containerd";
    const first = await installContainerd(host);
    assert.deepEqual([first.exitCode, first.facts["crictlFrom"]], [0, "media"]);
    const { drive } = host.windows;
    assert.equal(await drive.isFile(`${folder}\\crictl.exe`), true);
    assert.match(
      (await drive.readText(`${folder}\\crictl.yaml`)) ?? "",
      /^runtime-endpoint: npipe:\/\/\/\/\.\/pipe\/containerd-containerd$/m,
    );
    assert.equal((await installContainerd(host)).facts["crictlFrom"], "installed");

    const args = goodArguments(host)["Install-Containerd"] ?? [];
    const without = withArgument(withArgument(args, "-CrictlPath", '""'), "-CrictlSha256", '""');
    const second = await installContainerd(host, without);
    assert.deepEqual([second.changed, second.facts["crictlFrom"]], [true, "none"], second.stderr);
    const left = (await readdir(await drive.resolve(folder))).filter((name) =>
      name.startsWith("crictl"),
    );
    assert.deepEqual(left, []);
    const third = await installContainerd(host, without);
    assert.deepEqual([third.changed, third.facts["crictlFrom"]], [false, "none"]);
  });

  it("one that somebody has deleted or configured otherwise is repaired", async () => {
    await prepareThrough(host, "Install-Containerd");
    const { drive } = host.windows;
    await drive.remove("C:\\Program Files\\containerd\\crictl.exe");
    const again = await installContainerd(host);
    assert.deepEqual([again.changed, again.facts["crictlFrom"]], [true, "media"]);
    await drive.write("C:\\Program Files\\containerd\\crictl.yaml", "debug: true\n");
    const reported = await installContainerd(host);
    assert.deepEqual([reported.changed, reported.facts["crictlFrom"]], [true, "installed"]);
    assert.equal((await installContainerd(host)).changed, false);
  });

  it("a wrong archive is not unpacked", async () => {
    await prepareThrough(host, "Confirm-Reboot");
    const args = goodArguments(host)["Install-Containerd"] ?? [];
    const result = await installContainerd(
      host,
      withArgument(args, "-CrictlSha256", "0".repeat(64)),
    );
    assert.deepEqual([result.exitCode, result.errorCode], [31, "ChecksumMismatch"]);
    assert.equal(
      await host.windows.drive.isFile("C:\\Program Files\\containerd\\crictl.exe"),
      false,
    );
  });
});
