import assert from "node:assert/strict";
import { readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { defaultSetup } from "../../../components/windows/node-setup.ts";
import { officialSoftware } from "../../../components/windows/software.ts";
import { kubernetesValues } from "../../../components/windows/steps.ts";
import {
  goodArguments,
  installContainerd,
  prepareThrough,
  runStep,
  startWithSteps,
  withArgument,
} from "./step-runner.ts";
import { noAutoUpdate, setNoAutoUpdate, setVariable } from "./machine-registry.ts";

describe("Installing, rehearsed", () => {
  let host: RehearsalHost;
  beforeEach(async () => {
    host = await startWithSteps();
  });
  afterEach(() => host.stop());

  it("containerd: unpacked, configured, registered, running; the second run changes nothing", async () => {
    await prepareThrough(host, "Confirm-Reboot");
    const first = await installContainerd(host);
    assert.equal(first.exitCode, 0, first.stderr);
    assert.deepEqual([first.changed, first.facts["archiveFrom"]], [true, "media"]);
    const { drive, services, settings } = host.windows;
    assert.equal(await drive.isFile("C:\\Program Files\\containerd\\ctr.exe"), true);
    const config = await drive.readText("C:\\Program Files\\containerd\\config.toml");
    assert.match(config ?? "", /bin_dirs = \['C:\/opt\/cni\/bin'\]/);
    assert.match(config ?? "", /conf_dir = 'C:\/etc\/cni\/net\.d'/);
    assert.equal(services.get("containerd")?.startType, "auto");
    assert.equal(await services.isRunning("containerd"), true);
    assert.deepEqual(settings.path, ["C:\\Program Files\\containerd"]);
    const session = "SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment";
    assert.deepEqual(host.windows.registry.make(session).values.get("path"), {
      name: "Path",
      kind: "ExpandString",
      data: "%SystemRoot%\\system32;%SystemRoot%;C:\\Program Files\\containerd",
    });
    assert(
      host.programs.commands.includes(
        "C:\\Program Files\\containerd\\containerd.exe --config C:\\Program Files\\containerd\\config.toml --log-file C:\\var\\log\\containerd\\containerd.log",
      ),
      "containerd.exe runs with its configuration, without --run-service",
    );

    const second = await installContainerd(host);
    assert.deepEqual([second.changed, second.facts["archiveFrom"]], [false, "installed"]);
  });

  it("containerd: another configuration is written and containerd is restarted", async () => {
    await prepareThrough(host, "Install-Containerd");
    const args = goodArguments(host)["Install-Containerd"] ?? [];
    const starts = (): number =>
      host.programs.commands.filter((line) => line.includes("--log-file")).length;
    const before = starts();
    const result = await installContainerd(host, [...args, "-PauseImage", "mirror.test/pause:1"]);
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
    const result = await installContainerd(host);
    assert.deepEqual(
      [result.changed, await host.windows.services.isRunning("containerd")],
      [true, true],
    );
  });

  it("containerd: running without serving its pipe is an error with the end of its log", async () => {
    await prepareThrough(host, "Confirm-Reboot");
    await host.windows.drive.write("C:\\var\\log\\containerd\\containerd.log", "a\nno pipe\n");
    host.programs.isPipeServed = () => Promise.resolve(false);
    const { programs } = host;
    const start = Date.now();
    programs.now = () => new Date(start + (Date.now() - start) * 100);
    const result = await installContainerd(host);
    assert.deepEqual([result.exitCode, result.errorCode], [34, "ServiceNotRunning"]);
    assert.match(result.errorMessage, /not ready after 120 s: Running\. [^]*no pipe$/);
  });

  it("containerd: a wrong version is an error", async () => {
    await prepareThrough(host, "Confirm-Reboot");
    const args = goodArguments(host)["Install-Containerd"] ?? [];
    const result = await installContainerd(host, withArgument(args, "-Version", "2.3.4"));
    assert.deepEqual([result.exitCode, result.errorCode], [32, "VersionMismatch"]);
    assert.match(result.errorMessage, /v2\.4\.2 fake', expected was version 2\.3\.4/);
  });

  const unusable: readonly (readonly [
    what: string,
    spoil: (file: string) => Promise<void>,
    code: string,
    message: RegExp,
  ])[] = [
    [
      "half pushed",
      (file) => truncate(file, 100),
      "ChecksumMismatch",
      /tar\.gz has the SHA-256 [0-9a-f]{64}, expected was [0-9a-f]{64}\.$/,
    ],
    [
      "something else",
      (file) => writeFile(file, "<html>"),
      "ChecksumMismatch",
      /expected was [0-9a-f]{64}\.$/,
    ],
    ["not there", (file) => rm(file), "MediumMissing", /tar\.gz is not there\.$/],
  ];
  for (const [what, spoil, code, message] of unusable) {
    it(`a medium that is ${what} is not used, and nothing of it is unpacked`, async () => {
      await prepareThrough(host, "Confirm-Reboot");
      const { fileName, sha256 } = host.media.containerd;
      await spoil(join(host.driveC, "kindows/media", sha256, fileName));
      const result = await installContainerd(host);
      assert.equal(result.errorCode, code);
      assert.match(result.errorMessage, message);
      assert.equal(await host.windows.drive.isFolder("C:\\Program Files\\containerd"), false);
    });
  }

  it("a medium is needed no more when its program is in place", async () => {
    await prepareThrough(host, "Install-Kubernetes");
    await host.windows.drive.remove("C:\\kindows\\media");
    const result = await installContainerd(host);
    assert.deepEqual([result.changed, result.facts["archiveFrom"]], [false, "installed"]);
    const args = goodArguments(host)["Install-Kubernetes"];
    const kubernetes = await runStep(host, "Install-Kubernetes", args);
    assert.deepEqual([kubernetes.changed, kubernetes.facts["kubeletFrom"]], [false, "installed"]);
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

  it("kubelet: replaced on a node that has joined, it stands still meanwhile and runs again", async () => {
    await prepareThrough(host, "Join-Node");
    setVariable(host.windows, "HTTPS_PROXY", "http://proxy.test:3128");
    await host.windows.drive.write("C:\\k\\kubelet.exe", "damaged");
    const args = goodArguments(host)["Install-Kubernetes"] ?? [];
    const result = await runStep(host, "Install-Kubernetes", args);
    assert.equal(result.exitCode, 0, result.stderr);
    assert.deepEqual([result.changed, result.facts["kubeletFrom"]], [true, "media"]);
    const { services, drive } = host.windows;
    assert.equal(await services.isRunning("kubelet"), true);
    assert.equal(services.get("kubelet")?.startType, "auto");
    assert.deepEqual(services.environment("kubelet"), ["HTTPS_PROXY=http://proxy.test:3128"]);
    assert.deepEqual(
      (await readdir(await drive.resolve("C:\\k"))).filter(
        (name) => !/\.exe(\.checked)?$/.test(name),
      ),
      [],
    );
  });

  it("kubelet: a program that was changed since it was checked is looked at again", async () => {
    await prepareThrough(host, "Install-Kubernetes");
    const { drive } = host.windows;
    const note = await drive.readText("C:\\k\\kubeadm.exe.checked");
    assert.match(note ?? "", /^[0-9a-f]{64} \d+\.\d+\.\d+ \d+ \d+$/);
    const args = goodArguments(host)["Install-Kubernetes"] ?? [];
    // A note of another version's is none.
    const other = await runStep(
      host,
      "Install-Kubernetes",
      withArgument(args, "-Version", "1.35.0"),
    );
    assert.equal(other.errorCode, "VersionMismatch");
    await drive.write("C:\\k\\kubeadm.exe", "damaged");
    const result = await runStep(host, "Install-Kubernetes", args);
    assert.deepEqual(
      [result.facts["kubeadmFrom"], result.facts["kubeletFrom"]],
      ["media", "installed"],
    );
    // The medium itself is linked to its place, so the note is the same again.
    assert.equal(await drive.readText("C:\\k\\kubeadm.exe.checked"), note);
  });

  it("kubelet: says when somebody holds kubeadm open", async () => {
    await prepareThrough(host, "Install-Kubernetes");
    await host.windows.drive.write("C:\\k\\kubeadm.exe", "old");
    host.windows.openFiles.add("C:\\k\\kubeadm.exe");
    const args = goodArguments(host)["Install-Kubernetes"];
    const result = await runStep(host, "Install-Kubernetes", args);
    assert.deepEqual([result.exitCode, result.errorCode], [35, "FileInUse"]);
  });

  it("kubelet: scanned by Defender only when asked to", async () => {
    await prepareThrough(host, "Install-Kubernetes");
    const { windows } = host;
    assert.ok(windows.settings.defenderExclusions.includes("C:\\k\\kubelet.exe"));
    const args = [
      ...(goodArguments(host)["Install-Kubernetes"] ?? []),
      ...["-DefenderExclusions", "0"],
    ];
    const off = await runStep(host, "Install-Kubernetes", args);
    assert.deepEqual([off.changed, off.facts["defenderExclusions"]], [true, "off"]);
    assert.ok(!windows.settings.defenderExclusions.includes("C:\\k\\kubelet.exe"));
    assert.ok(windows.settings.defenderExclusions.includes("C:\\ProgramData\\containerd"));
  });

  it("Windows does not update by itself any more, until it may again", async () => {
    await prepareThrough(host, "Install-Kubernetes");
    const { windows } = host;
    assert.equal(noAutoUpdate(windows), 1);
    const args = goodArguments(host)["Install-Kubernetes"] ?? [];
    const may = await runStep(host, "Install-Kubernetes", [...args, "-AutomaticUpdates", "1"]);
    assert.deepEqual([may.exitCode, may.changed, noAutoUpdate(windows)], [0, true, undefined]);
    // What its owner has set is neither ours to keep nor to take away.
    setNoAutoUpdate(windows, 1);
    assert.equal((await runStep(host, "Install-Kubernetes", args)).changed, false);
    await runStep(host, "Reset-Node");
    assert.equal(noAutoUpdate(windows), 1);
  });

  it("the machine's time zone is the one of the settings; without one it stays", async () => {
    await prepareThrough(host, "Install-Kubernetes");
    const versions = { kubernetes: "1.36.4", containerd: "2.4.2" };
    const software = officialSoftware(versions, { checksums: {}, lock: {}, folders: {} });
    const sums = { kubelet: "", kubeadm: "", kubeLogRunner: "" };
    const changes: boolean[] = [];
    for (const timeZone of ["UTC", "Europe/Berlin", "Europe/Berlin", ""]) {
      const { TimeZone } = kubernetesValues(software, { ...defaultSetup, timeZone }, sums);
      const args = goodArguments(host)["Install-Kubernetes"] ?? [];
      const zoned = [...args, "-TimeZone", `"${TimeZone}"`];
      const { exitCode, changed, stderr } = await runStep(host, "Install-Kubernetes", zoned);
      assert.equal(exitCode, 0, stderr);
      changes.push(changed === true);
    }
    assert.deepEqual(changes, [false, true, false, false]);
    const key = "SYSTEM\\CurrentControlSet\\Control\\TimeZoneInformation";
    const zone = host.windows.registry.make(key).get("TimeZoneKeyName");
    assert.equal(zone, "W. Europe Standard Time");
  });

  it("what was set about updates before comes back with the reset", async () => {
    await prepareThrough(host, "Install-Containerd");
    const { windows } = host;
    setNoAutoUpdate(windows, 0);
    await runStep(host, "Install-Kubernetes", goodArguments(host)["Install-Kubernetes"]);
    assert.equal(noAutoUpdate(windows), 1);
    const reset = await runStep(host, "Reset-Node");
    assert.ok((reset.facts["removed"] as string[]).includes("policy NoAutoUpdate"));
    assert.equal(noAutoUpdate(windows), 0);
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
    const result = await installContainerd(host);
    assert.deepEqual([result.exitCode, result.errorCode], [10, "Unexpected"]);
    assert.match(result.errorMessage, /not a valid Win32 application/);
  });
});
