import assert from "node:assert/strict";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hollowExecutable } from "../../../rehearsal/host/hollow/hollow-executable.ts";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { goodArguments, prepareThrough, runStep, startWithSteps } from "./step-runner.ts";

/** Replaces one argument's value. */
function withArgument(args: readonly string[], name: string, value: string): string[] {
  const index = args.indexOf(name);
  return args.map((argument, position) => (position === index + 1 ? value : argument));
}

describe("Installing, rehearsed", () => {
  let host: RehearsalHost;
  beforeEach(async () => {
    host = await startWithSteps();
  });
  afterEach(() => host.stop());

  const install = (args?: readonly string[]): ReturnType<typeof runStep> =>
    runStep(host, "Install-Containerd", args ?? goodArguments(host)["Install-Containerd"]);

  it("containerd: unpacked, configured, registered, running; the second run changes nothing", async () => {
    await prepareThrough(host, "Confirm-Reboot");
    const first = await install();
    assert.equal(first.exitCode, 0, first.stderr);
    assert.deepEqual([first.changed, first.facts["archiveFrom"]], [true, "media"]);
    const { drive, services, path } = host.windows;
    assert.equal(await drive.isFile("C:\\Program Files\\containerd\\ctr.exe"), true);
    const config = await drive.readText("C:\\Program Files\\containerd\\config.toml");
    assert.match(config ?? "", /bin_dirs = \['C:\/opt\/cni\/bin'\]/);
    assert.match(config ?? "", /conf_dir = 'C:\/etc\/cni\/net\.d'/);
    assert.equal(services.get("containerd")?.startType, "auto");
    assert.equal(await services.isRunning("containerd"), true);
    assert.deepEqual(path, ["C:\\Program Files\\containerd"]);
    assert(
      host.programs.commands.includes(
        "C:\\Program Files\\containerd\\containerd.exe --config C:\\Program Files\\containerd\\config.toml --log-file C:\\var\\log\\containerd\\containerd.log",
      ),
      "containerd.exe runs with its configuration, without --run-service",
    );

    const second = await install();
    assert.deepEqual([second.changed, second.facts["archiveFrom"]], [false, "installed"]);
  });

  it("containerd: another configuration is written and containerd started anew", async () => {
    await prepareThrough(host, "Install-Containerd");
    const args = goodArguments(host)["Install-Containerd"] ?? [];
    const starts = (): number =>
      host.programs.commands.filter((line) => line.includes("--log-file")).length;
    const before = starts();
    const result = await install([...args, "-PauseImage", "mirror.test/pause:1"]);
    assert.deepEqual([result.exitCode, result.changed], [0, true]);
    assert.equal(starts(), before + 1);
    assert.match(
      (await host.windows.drive.readText("C:\\Program Files\\containerd\\config.toml")) ?? "",
      /sandbox = 'mirror\.test\/pause:1'/,
    );
  });

  it("containerd: stopped by somebody, it is started again", async () => {
    await prepareThrough(host, "Install-Containerd");
    await host.windows.services.stop("containerd");
    const result = await install();
    assert.deepEqual(
      [result.changed, await host.windows.services.isRunning("containerd")],
      [true, true],
    );
  });

  it("containerd: running without serving its pipe is an error with the end of its log", async () => {
    await prepareThrough(host, "Confirm-Reboot");
    await host.windows.drive.write("C:\\var\\log\\containerd\\containerd.log", "a\nno pipe\n");
    host.programs.isPipeServed = () => Promise.resolve(false);
    const result = await install();
    assert.deepEqual([result.exitCode, result.errorCode], [34, "ServiceNotRunning"]);
    assert.match(result.errorMessage, /not ready after 120 s: Running\. [^]*no pipe$/);
  });

  it("containerd: a wrong version is an error", async () => {
    await prepareThrough(host, "Confirm-Reboot");
    const args = goodArguments(host)["Install-Containerd"] ?? [];
    const result = await install(withArgument(args, "-Version", "2.3.4"));
    assert.deepEqual([result.exitCode, result.errorCode], [32, "VersionMismatch"]);
    assert.match(result.errorMessage, /v2\.4\.2 hollow', expected was version 2\.3\.4/);
  });

  it("a medium that is damaged is not used, and nothing of it is unpacked", async () => {
    await prepareThrough(host, "Confirm-Reboot");
    const { fileName, sha256 } = host.media.containerd;
    await writeFile(join(host.driveC, "kindows/media", sha256, fileName), "damaged");
    const result = await install();
    assert.deepEqual([result.exitCode, result.errorCode], [30, "DownloadFailed"]);
    assert.match(
      result.errorMessage,
      /in 4 tries; the last one said: this test host has no internet/,
    );
    assert.equal(await host.windows.drive.isFolder("C:\\Program Files\\containerd"), false);
  });

  it("kubelet and kubeadm: in place, service manual, port open; the second run changes nothing", async () => {
    await prepareThrough(host, "Install-Containerd");
    const args = goodArguments(host)["Install-Kubernetes"] ?? [];
    const first = await runStep(host, "Install-Kubernetes", args);
    assert.equal(first.exitCode, 0, first.stderr);
    assert.equal(first.changed, true);
    const service = host.windows.services.get("kubelet");
    assert.deepEqual([service?.startType, service?.dependsOn], ["manual", ["containerd"]]);
    assert.equal(await host.windows.services.isRunning("kubelet"), false);
    const keys = await stat(join(host.driveC, "etc/kubernetes"));
    assert.equal(keys.mode & 0o777, 0o700);
    const second = await runStep(host, "Install-Kubernetes", args);
    assert.deepEqual([second.changed, second.facts["kubeletFrom"]], [false, "installed"]);
  });

  it("kubelet: a wrong version is an error", async () => {
    await prepareThrough(host, "Install-Containerd");
    const args = goodArguments(host)["Install-Kubernetes"] ?? [];
    const result = await runStep(
      host,
      "Install-Kubernetes",
      withArgument(args, "-Version", "1.35.0"),
    );
    assert.deepEqual([result.exitCode, result.errorCode], [32, "VersionMismatch"]);
  });

  it("a program that is none ends in an error, not in a service", async () => {
    await prepareThrough(host, "Install-Containerd");
    await host.windows.drive.write("C:\\Program Files\\containerd\\containerd.exe", "text");
    const result = await install();
    assert.deepEqual([result.exitCode, result.errorCode], [10, "Unexpected"]);
    assert.match(result.errorMessage, /not a valid Win32 application/);
  });
});

describe("Downloading, rehearsed", () => {
  const good = hollowExecutable("kubelet", "1.36.4");
  const answers: readonly (readonly [
    name: string,
    download: (tries: number) => Buffer,
    errorCode: string | undefined,
    tries: number,
  ])[] = [
    ["what is not among the media", () => good, undefined, 1],
    ["what comes at the third try", (tries) => (tries < 3 ? fail() : good), undefined, 3],
    ["nothing where something else is served", () => Buffer.from("<html>"), "ChecksumMismatch", 1],
    ["nothing where nothing answers", () => fail(), "DownloadFailed", 4],
  ];
  function fail(): never {
    throw new Error("connection refused");
  }

  for (const [name, download, errorCode, expectedTries] of answers) {
    it(`fetches ${name}`, async () => {
      let tries = 0;
      const host = await startWithSteps({
        download: () => {
          tries++;
          return Promise.resolve().then(() => download(tries));
        },
      });
      try {
        await prepareThrough(host, "Install-Containerd");
        const { sha256 } = host.media.kubelet;
        await host.windows.drive.remove(`C:\\kindows\\media\\${sha256}`);
        const args = goodArguments(host)["Install-Kubernetes"];
        const result = await runStep(host, "Install-Kubernetes", args);
        assert.equal(result.errorCode, errorCode, result.stderr);
        assert.equal(tries, expectedTries);
        if (errorCode === undefined) {
          assert.equal(result.facts["kubeletFrom"], "download");
          const kept = `C:\\kindows\\media\\${sha256}\\kubelet.exe`;
          assert.equal(await host.windows.drive.isFile(kept), true);
        }
      } finally {
        await host.stop();
      }
    });
  }
});
