import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";

import { writeFakeMedia } from "../../../rehearsed-machine/fake-media.ts";
import {
  assertDone,
  assertFails,
  assertFile,
  prepareThrough,
  runGood,
  hostFor,
  pathOf,
  runText,
  type StepRun,
} from "./step-runner.ts";

const folder = "C:\\Program Files\\containerd";
const shim = `${folder}\\containerd-shim-runhcs-v1.exe`;

describe("containerd and crictl, rehearsed", () => {
  const machine = hostFor("each");

  /** Puts another version among the media; the arguments that install it. */
  const upgrade = async (): Promise<Record<string, string>> => {
    const versions = { containerd: "2.5.0", kubernetes: "1.36.4" };
    const { containerd } = await writeFakeMedia(machine.windows.drive, versions);
    return {
      "-Version": "2.5.0",
      "-ArchivePath": pathOf(containerd),
      "-ArchiveSha256": containerd.sha256,
    };
  };
  const install = (given?: Record<string, string>): Promise<StepRun> =>
    runGood(machine, "Install-Containerd", given);
  const replaced = async (): Promise<string[]> =>
    (await readdir(await machine.windows.drive.resolve(folder))).filter((name) =>
      name.endsWith(".replaced"),
    );

  it("takes the old one's place on a node that has joined; both services run again", async () => {
    await prepareThrough(machine, "Join-Node");
    const before = machine.windows.services.get("containerd");
    // What a run that was cut short has left is not taken.
    await machine.windows.drive.write(`${folder}\\unpacked.new\\left.exe`, "half");
    await assertDone(install(await upgrade()), true, { version: "2.5.0", archiveFrom: "media" });
    const { services, drive } = machine.windows;
    assert.deepEqual(services.get("containerd"), before);
    assert.equal(await services.isRunning("containerd"), true);
    assert.equal(await services.isRunning("kubelet"), true);
    assert.equal(await drive.readText(shim), "fake 2.5.0\n");
    assert.deepEqual(await replaced(), []);
    assert.equal(await drive.isFolder(`${folder}\\unpacked.new`), false);
    assert.equal(await drive.isFile(`${folder}\\left.exe`), false);
  });

  it("leaves a pod's running shim alone until nothing runs it any more", async () => {
    await prepareThrough(machine, "Install-Containerd");
    machine.windows.runningPrograms.add(shim);
    const args = await upgrade();
    await assertDone(install(args));
    const [kept = "", ...others] = await replaced();
    assert.match(kept, /^containerd-shim-runhcs-v1\.exe\.\d+\.replaced$/);
    assert.deepEqual(others, []);
    assert.equal(await machine.windows.drive.readText(`${folder}\\${kept}`), "fake 2.4.2\n");

    machine.windows.runningPrograms.clear();
    await assertDone(install(args), false);
    assert.deepEqual(await replaced(), []);
  });

  it("names a file that is held open, and continues once it is closed", async () => {
    await prepareThrough(machine, "Join-Node");
    const { openFiles, services } = machine.windows;
    openFiles.add(`${folder}\\ctr.exe`);
    const args = await upgrade();
    const inUse = /ctr\.exe can't be replaced: .*used by another process/;
    await assertFails(install(args), "FileInUse", inUse);
    for (const name of ["containerd", "kubelet"]) {
      assert.equal(await services.isRunning(name), true, name);
    }
    await assertFile(machine, `${folder}\\containerd.exe`, /2\.4\.2/);
    assert.deepEqual(await replaced(), []);
    openFiles.clear();
    await assertDone(install(args), undefined, { archiveFrom: "media" });
    assert.equal(await machine.windows.drive.readText(shim), "fake 2.5.0\n");
    assert.equal(await machine.windows.services.isRunning("containerd"), true);
  });

  it("harms nothing where the archive is no archive: containerd runs on", async () => {
    await prepareThrough(machine, "Install-Containerd");
    const { drive, services } = machine.windows;
    const sha256 = "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"; // of "foo\n"
    const path = pathOf({ sha256, fileName: "containerd-2.5.0-windows-amd64.tar.gz" });
    await drive.write(path, "foo\n");
    const other = { "-Version": "2.5.0", "-ArchivePath": path, "-ArchiveSha256": sha256 };
    await assertFails(install(other), "CommandFailed", /./, /an archive that is whole/);
    assert.equal(await services.isRunning("containerd"), true);
    await assertDone(install(), false);
  });

  it("crictl: comes beside containerd, knows where that serves, and goes when it is left out", async () => {
    await prepareThrough(machine, "Confirm-Reboot");
    await assertDone(install(), undefined, { crictlFrom: "media" });
    const { drive } = machine.windows;
    assert.equal(await drive.isFile(`${folder}\\crictl.exe`), true);
    const endpoint = /^runtime-endpoint: npipe:\/\/\/\/\.\/pipe\/containerd-containerd$/m;
    await assertFile(machine, `${folder}\\crictl.yaml`, endpoint);
    assert.equal((await install()).facts["crictlFrom"], "installed");

    const without = { "-CrictlPath": '""', "-CrictlSha256": '""' };
    await assertDone(install(without), true, { crictlFrom: "none" });
    const left = (await readdir(await drive.resolve(folder))).filter((name) =>
      name.startsWith("crictl"),
    );
    assert.deepEqual(left, []);
    await assertDone(install(without), false, { crictlFrom: "none" });
  });

  it("crictl: is repaired if it was deleted or configured differently", async () => {
    await prepareThrough(machine, "Install-Containerd");
    const { drive } = machine.windows;
    await drive.remove(`${folder}\\crictl.exe`);
    await assertDone(install(), true, { crictlFrom: "media" });
    await drive.write(`${folder}\\crictl.yaml`, "debug: true\n");
    await assertDone(install(), true, { crictlFrom: "installed" });
    await assertDone(install(), false);
  });
});

describe("Install-Containerd's parameters besides versions, rehearsed", () => {
  const machine = hostFor("all", "Install-Containerd");

  const install = (name?: string, value = ""): Promise<StepRun> =>
    runGood(machine, "Install-Containerd", name === undefined ? {} : { [name]: value });
  const starts = (): number =>
    machine.programs.commands.filter((line) => line.includes("--log-file")).length;
  const hostsFile = (name: string): Promise<string | undefined> =>
    machine.windows.drive.readText(`${folder}\\certs.d\\${name}\\hosts.toml`);

  it("mirrors: a hosts.toml per registry below config_path", async () => {
    const mirrors =
      "docker.io=https://a.test,https://b.test/x;example.com:5000=https://mirror.test:8443";
    await assertDone(install("-RegistryMirrors", `"${mirrors}"`), true);
    assert.equal(
      await hostsFile("docker.io"),
      [
        "# Written by kindows (Install-Containerd); changes are lost.",
        "",
        '[host."https://a.test"]',
        '  capabilities = ["pull", "resolve"]',
        "",
        '[host."https://b.test/x"]',
        '  capabilities = ["pull", "resolve"]',
        "",
      ].join("\n"),
    );
    assert.match((await hostsFile("example.com_5000_")) ?? "", /mirror\.test:8443/);
    const configPath = /config_path = 'C:\/Program Files\/containerd\/certs\.d'/;
    await assertFile(machine, `${folder}\\config.toml`, configPath);
    await assertDone(install("-RegistryMirrors", `"${mirrors}"`), false);
  });

  /** Whether containerd asks a mirror's address as it is, or below /v2. */
  const asWritten: Readonly<Record<string, boolean>> = {
    "https://harbor.test/v2/dockerhub-proxy": true, // goharbor/harbor#18530
    "https://mirror.test/v2": false, // containerd appends nothing to it
    "https://mirror.test/cache/v2/docker/": true,
    "https://nexus.test/repository/docker-proxy": false, // sonatype's path-based routing
    "https://mirror.local.tld:443/v2": false, // containerd/containerd#8053
    "https://syno.registry:47000": false, // containerd/containerd#6438
    "https://10.80.148.51:443/v2/rahul-test": true, // aws/eks-anywhere#10765
    "https://v2.test": false,
    "https://mirror.test/v20/x": false,
  };
  it("mirrors: an address that has /v2 in its path is asked as it is (containerd/containerd#5518)", async () => {
    for (const [address, expected] of Object.entries(asWritten)) {
      const line = `Get-RegistryHostsFile -Mirror '${address}'`;
      const libraries = ["Step", "NativeCommand", "WholeFile", "InstalledProgram", "MachinePath"];
      const text = await runText(machine, [...libraries, "Services", "Containerd"], line);
      assert.equal(text.includes("override_path = true"), expected, address);
    }
  });

  it("mirrors: other addresses need no restart", async () => {
    const before = starts();
    const result = await install("-RegistryMirrors", '"docker.io=https://c.test"');
    assert.deepEqual([result.changed, starts() - before], [true, 0]);
    assert.match((await hostsFile("docker.io")) ?? "", /c\.test/);
    assert.equal(await hostsFile("example.com_5000_"), undefined);
  });

  it("mirrors: the lab's registry, alone without TLS, under the name that containerd has on Windows", async () => {
    const mirrors = "docker.io=https://c.test;localhost:5001=http://192.0.2.254:5000";
    await assertDone(install("-RegistryMirrors", `"${mirrors}"`), true);
    assert.match(
      (await hostsFile("localhost_5001_")) ?? "",
      /^\[host\."http:\/\/192\.0\.2\.254:5000"\]\n {2}capabilities = \["pull", "resolve"\]$/m,
    );
    await assertDone(install("-RegistryMirrors", '"docker.io=https://c.test"'), true);
    assert.equal(await hostsFile("localhost_5001_"), undefined);
  });

  it("mirrors: taken back, but nobody else's file is", async () => {
    await machine.windows.drive.write(`${folder}\\certs.d\\mine\\hosts.toml`, "# mine\n");
    await assertDone(install(), true);
    assert.equal(await hostsFile("docker.io"), undefined);
    assert.equal(await hostsFile("mine"), "# mine\n");
    await assertFile(machine, `${folder}\\config.toml`, /config_path = ''/);
  });

  for (const mirrors of [
    "docker.io=" + "http" + "://a.test",
    "docker.io",
    "=https://a.test",
    "docker.io=https://a.test;;",
    "docker.io=https://a.test,",
    "localhost:5001=http://mirror.test:5000",
    "localhost:5001=http://192.0.2.254:80",
    "localhost:5000=http://192.0.2.254:5000",
    "localhost:5001=http://192.0.2.254:5000,https://a.test",
    ";localhost:5001=http://192.0.2.254:5000",
  ]) {
    it(`mirrors: refuses ${mirrors}`, async () => {
      const { exitCode, stderr } = await install("-RegistryMirrors", `"${mirrors}"`);
      assert.equal(exitCode, 1);
      assert.match(stderr, /^Cannot validate argument on parameter 'RegistryMirrors'/);
    });
  }

  it("a restart after a crash: ordered by each run, whatever somebody has set meanwhile", async () => {
    await machine.windows.services.change("containerd", { restarts: false });
    await assertDone(install(), false);
    assert.equal(machine.windows.services.get("containerd")?.restarts, true);
  });

  it("Defender: leaves it alone by default, scans it when asked to, and says so", async () => {
    const { windows } = machine;
    assert.ok(windows.state.defenderExclusions.includes(`${folder}\\containerd.exe`));
    assert.ok(windows.state.defenderExclusions.includes("C:\\ProgramData\\containerd"));
    windows.state.defenderExclusions.push("D:\\own");
    await assertDone(install("-DefenderExclusions", "0"), true, { defenderExclusions: "off" });
    assert.deepEqual(windows.state.defenderExclusions, ["D:\\own"]);
    await assertDone(install("-DefenderExclusions", "0"), false);
    await assertDone(install(), true, { defenderExclusions: "set" });
    assert.equal((await install("-DefenderExclusions", "2")).exitCode, 1);
  });
});
