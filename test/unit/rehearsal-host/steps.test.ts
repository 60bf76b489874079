import assert from "node:assert/strict";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { hollowExecutable } from "../../../rehearsal/host/hollow/hollow-executable.ts";
import {
  goodArguments,
  joinInput,
  prepareThrough,
  runStep,
  startWithSteps,
} from "./step-runner.ts";

/** Replaces one argument's value. */
function withArgument(args: readonly string[], name: string, value: string): string[] {
  const index = args.indexOf(name);
  return args.map((argument, position) => (position === index + 1 ? value : argument));
}

describe("Test-WindowsHost, rehearsed", () => {
  let host: RehearsalHost;
  before(async () => {
    host = await startWithSteps({
      hardware: { memoryMiB: 2000, freeDiskGiB: () => Promise.resolve(30) },
    });
  });
  after(() => host.stop());

  it("reports what it found and changes nothing", async () => {
    const result = await runStep(host, "Test-WindowsHost", ["-ComputerName", "WIN-1"]);
    assert.equal(result.exitCode, 0, result.stderr);
    assert.equal(result.changed, false);
    const { utc, lastBootUpTime, ...facts } = result.facts;
    assert.match(String(utc), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(lastBootUpTime, host.windows.lastBootUpTime);
    assert.deepEqual(facts, {
      computerName: "win-1",
      productName: "Windows Server 2022 Datacenter (rehearsal)",
      build: "10.0.20348",
      revision: 4405,
      freeDiskGiB: 30,
      memoryMiB: 2000,
      rehearsal: true,
    });
  });

  const unsuitable: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [["-ComputerName", "win-2"], /named win-1, expected was win-2/],
    [["-ComputerName", "win-1", "-MinimumBuild", "26100"], /build 20348 is older than 26100/],
    [["-ComputerName", "win-1", "-MinimumRevision", "5000"], /revision 20348\.4405 is older/],
    [["-ComputerName", "win-1", "-MinimumFreeDiskGiB", "31"], /30 GiB free, 31 GiB are needed/],
    [["-ComputerName", "win-1", "-MinimumMemoryMiB", "2065"], /2000 MiB, 2065 MiB are needed/],
  ];
  for (const [args, message] of unsuitable) {
    it(`refuses ${args.join(" ")}`, async () => {
      const result = await runStep(host, "Test-WindowsHost", args);
      assert.equal(result.exitCode, 20);
      assert.equal(result.errorCode, "HostUnsuitable");
      assert.match(result.errorMessage, message);
    });
  }

  it("says all that is wrong at once", async () => {
    const args = ["-ComputerName", "x", "-MinimumFreeDiskGiB", "99", "-MinimumMemoryMiB", "9999"];
    const { errorMessage } = await runStep(host, "Test-WindowsHost", args);
    assert.equal(errorMessage.split(";").length, 3);
  });
});

describe("The rehearsed steps in a wrong order", () => {
  const wrongOrder: readonly (readonly [
    after: string | undefined,
    step: string,
    code: string,
    exitCode: number,
  ])[] = [
    [undefined, "Confirm-Reboot", "FeatureFailed", 21],
    [undefined, "Install-Containerd", "FeatureMissing", 40],
    [undefined, "Install-Kubernetes", "ContainerdMissing", 41],
    [undefined, "Join-Node", "KubernetesMissing", 54],
    ["Confirm-Reboot", "Install-Kubernetes", "ContainerdMissing", 41],
    ["Install-Containerd", "Join-Node", "KubernetesMissing", 54],
  ];
  for (const [prepared, step, code, exitCode] of wrongOrder) {
    it(`${step} after ${prepared ?? "nothing"} fails with ${code}`, async () => {
      const host = await startWithSteps();
      try {
        if (prepared !== undefined) await prepareThrough(host, prepared);
        const result = await runStep(host, step, goodArguments(host)[step], joinInput);
        assert.equal(result.errorCode, code);
        assert.equal(result.exitCode, exitCode);
      } finally {
        await host.stop();
      }
    });
  }

  it("Reset-Node on a machine that has not joined changes nothing", async () => {
    const host = await startWithSteps();
    try {
      const result = await runStep(host, "Reset-Node");
      assert.deepEqual([result.exitCode, result.changed], [0, false]);
    } finally {
      await host.stop();
    }
  });
});

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

describe("Set-HostsEntry, rehearsed", () => {
  let host: RehearsalHost;
  before(async () => {
    host = await startWithSteps();
  });
  after(() => host.stop());

  const set = (entry: string): ReturnType<typeof runStep> =>
    runStep(host, "Set-HostsEntry", ["-Entry", `"${entry}"`]);

  it("adds, changes and removes names, on the drive and for the programs", async () => {
    const runs: readonly (readonly [entry: string, changed: boolean])[] = [
      ["10.0.0.1=a;10.0.0.2=b", true],
      ["10.0.0.1=a;10.0.0.2=b", false],
      ["10.0.0.3=a", true],
      ["", true],
      ["", false],
    ];
    for (const [entry, changed] of runs) {
      const result = await set(entry);
      assert.equal(result.changed, changed, `${entry}: ${result.stderr}`);
      assert.equal(
        host.programs.hostsEntries.map(({ address, names }) => `${address}=${names[0]}`).join(";"),
        entry,
      );
    }
    assert.match(
      (await host.windows.drive.readText("C:\\Windows\\System32\\drivers\\etc\\hosts")) ?? "",
      /^# hosts file of a rehearsal host\r\n$/,
    );
  });

  it("does not contradict somebody else's line", async () => {
    await host.windows.drive.write(
      "C:\\Windows\\System32\\drivers\\etc\\hosts",
      "10.9.9.9 API # mine\r\n",
    );
    const result = await set("10.0.0.1=api");
    assert.deepEqual([result.exitCode, result.errorCode], [22, "ForeignHostsEntry"]);
  });
});
