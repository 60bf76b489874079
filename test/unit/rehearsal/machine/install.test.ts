import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";

import { defaultSetup } from "../../../../components/windows/node-setup.ts";
import { officialSoftware } from "../../../../components/windows/software.ts";
import { kubernetesValues } from "../../../../components/windows/steps.ts";
import { writeFakeMedia } from "../../../rehearsed-machine/fake-media.ts";
import type { RunOptions } from "../../../../rehearsal/machine/programs.ts";
import {
  noAutoUpdate,
  setNoAutoUpdate,
  setServiceVariables,
  setVariable,
} from "./machine-listing.ts";
import {
  assertDone,
  assertFails,
  assertFile,
  prepareThrough,
  runGood,
  hostFor,
  pathOf,
  type StepRun,
} from "./step-runner.ts";

const config = "C:\\Program Files\\containerd\\config.toml";

describe("Installing, rehearsed", () => {
  const machine = hostFor("each");

  const run = (step: string, given?: Readonly<Record<string, string>>): Promise<StepRun> =>
    runGood(machine, step, given);
  const isRunning = (name: string): Promise<boolean> => machine.windows.services.isRunning(name);
  /** A node that has joined, with Flannel, whose services all start with Windows and run. */
  const becomeNode = async (): Promise<void> => {
    await prepareThrough(machine, "Join-Node");
    await assertDone(run("Install-Flannel"));
    const { services } = machine.windows;
    await services.change("flanneld", { startType: "auto" });
    await services.start("flanneld");
  };
  const media = () =>
    writeFakeMedia(machine.windows.drive, { containerd: "2.5.0", kubernetes: "1.36.5" });

  it("containerd: unpacked, configured, registered, running; the second run changes nothing", async () => {
    await prepareThrough(machine, "Confirm-Reboot");
    await assertDone(run("Install-Containerd"), true, { archiveFrom: "media" });
    const { drive, services, path: machinePath } = machine.windows;
    assert.equal(await drive.isFile("C:\\Program Files\\containerd\\ctr.exe"), true);
    await assertFile(machine, config, /bin_dirs = \['C:\/opt\/cni\/bin'\]/);
    await assertFile(machine, config, /conf_dir = 'C:\/etc\/cni\/net\.d'/);
    assert.equal(services.get("containerd")?.startType, "auto");
    assert.equal(await services.isRunning("containerd"), true);
    assert.deepEqual(machinePath, ["C:\\Program Files\\containerd"]);
    const session = "SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment";
    assert.deepEqual(machine.windows.registry.make(session).values.get("path"), {
      name: "Path",
      kind: "ExpandString",
      data: "%SystemRoot%\\system32;%SystemRoot%;C:\\Program Files\\containerd",
    });
    assert(
      machine.programs.commands.includes(
        "C:\\Program Files\\containerd\\containerd.exe --config C:\\Program Files\\containerd\\config.toml --log-file C:\\var\\log\\containerd\\containerd.log",
      ),
      "containerd.exe runs with its configuration, without --run-service",
    );

    await assertDone(run("Install-Containerd"), false, { archiveFrom: "installed" });
  });

  it("containerd: another configuration is written and containerd is restarted", async () => {
    await prepareThrough(machine, "Join-Node");
    const starts = (): number =>
      machine.programs.commands.filter((line) => line.includes("--log-file")).length;
    const before = starts();
    await assertDone(run("Install-Containerd", { "-PauseImage": "mirror.test/pause:1" }), true);
    assert.equal(starts(), before + 1);
    assert.equal(await isRunning("kubelet"), true);
    await assertFile(machine, config, /sandbox = 'mirror\.test\/pause:1'/);
  });

  it("containerd: running without serving its pipe is an error with the end of its log", async () => {
    await prepareThrough(machine, "Confirm-Reboot");
    await machine.windows.drive.write("C:\\var\\log\\containerd\\containerd.log", "a\nno pipe\n");
    machine.programs.isPipeServed = () => Promise.resolve(false);
    const { programs } = machine;
    const start = Date.now();
    programs.now = () => new Date(start + (Date.now() - start) * 100);
    const notReady = /not ready after 120 s: Running\. [^]*no pipe$/;
    await assertFails(run("Install-Containerd"), "ServiceNotRunning", notReady);
  });

  it("containerd: a wrong version is an error", async () => {
    await prepareThrough(machine, "Confirm-Reboot");
    const other = run("Install-Containerd", { "-Version": "2.3.4" });
    await assertFails(other, "VersionMismatch", /v2\.4\.2 fake', expected was version 2\.3\.4/);
  });

  const needed = [
    ["Install-Containerd", "containerd", "Confirm-Reboot", "Program Files/containerd"],
    ["Install-Containerd", "crictl", "Confirm-Reboot", "Program Files/containerd/crictl.exe"],
    ["Install-Flannel", "flannel", "Install-Kubernetes", "k/flanneld.exe"],
    ["Install-Flannel", "flannelPlugin", "Install-Kubernetes", "opt/cni/bin/flannel.exe"],
    ["Install-Flannel", "cniPlugins", "Install-Kubernetes", "opt/cni/bin/host-local.exe"],
  ] as const;
  for (const [step, name, prepared, program] of needed) {
    it(`nothing is taken from a medium of ${name} that is damaged, or not there`, async () => {
      await prepareThrough(machine, prepared);
      const { fileName, sha256 } = machine.media[name];
      const file = join(machine.driveC, "kindows/media", sha256, fileName);
      await truncate(file, 10);
      const damaged = /gz has the SHA-256 [0-9a-f]{64}, expected was [0-9a-f]{64}\.$/;
      await assertFails(run(step), "ChecksumMismatch", damaged);
      await rm(file);
      await assertFails(run(step), "MediumMissing", /gz is not there\.$/);
      assert.equal(existsSync(join(machine.driveC, program)), false);
    });
  }

  it("a medium is needed no more when its program is in place", async () => {
    await prepareThrough(machine, "Install-Kubernetes");
    await machine.windows.drive.remove("C:\\kindows\\media");
    await assertDone(run("Install-Containerd"), false, { archiveFrom: "installed" });
    await assertDone(run("Install-Kubernetes"), false, { kubeletFrom: "installed" });
  });

  it("kubelet and kubeadm: in place, service manual, port open; the second run changes nothing", async () => {
    await prepareThrough(machine, "Install-Containerd");
    await assertDone(run("Install-Kubernetes"), true);
    const service = machine.windows.services.get("kubelet");
    assert.deepEqual([service?.startType, service?.dependsOn], ["manual", ["containerd"]]);
    assert.equal(await machine.windows.services.isRunning("kubelet"), false);
    const keys = await stat(join(machine.driveC, "etc/kubernetes"));
    assert.equal(keys.mode & 0o777, 0o700);
    await assertDone(run("Install-Kubernetes"), false, { kubeletFrom: "installed" });
  });

  it("kubelet: replaced on a node that has joined, it stands still meanwhile and runs again", async () => {
    await prepareThrough(machine, "Join-Node");
    setVariable(machine.windows, "HTTPS_PROXY", "http://proxy.test:3128");
    await machine.windows.drive.write("C:\\k\\kubelet.exe", "damaged");
    await assertDone(run("Install-Kubernetes"), true, { kubeletFrom: "media" });
    const { services, drive } = machine.windows;
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
    await prepareThrough(machine, "Install-Kubernetes");
    const { drive } = machine.windows;
    const note = await drive.readText("C:\\k\\kubeadm.exe.checked");
    assert.match(note ?? "", /^[0-9a-f]{64} \d+\.\d+\.\d+ \d+ \d+$/);
    // A note of another version's is none.
    await assertFails(run("Install-Kubernetes", { "-Version": "1.35.0" }), "VersionMismatch");
    await drive.write("C:\\k\\kubeadm.exe", "damaged");
    await assertDone(run("Install-Kubernetes"), undefined, {
      kubeadmFrom: "media",
      kubeletFrom: "installed",
    });
    // The medium itself is linked to its place, so the note is the same again.
    assert.equal(await drive.readText("C:\\k\\kubeadm.exe.checked"), note);
  });

  it("kubelet: scanned by Defender only when asked to", async () => {
    await prepareThrough(machine, "Install-Kubernetes");
    const { windows } = machine;
    assert.ok(windows.state.defenderExclusions.includes("C:\\k\\kubelet.exe"));
    await assertDone(run("Install-Kubernetes", { "-DefenderExclusions": "0" }), true, {
      defenderExclusions: "off",
    });
    assert.ok(!windows.state.defenderExclusions.includes("C:\\k\\kubelet.exe"));
    assert.ok(windows.state.defenderExclusions.includes("C:\\ProgramData\\containerd"));
  });

  it("Windows does not update by itself any more, until it may again", async () => {
    await prepareThrough(machine, "Install-Kubernetes");
    const { windows } = machine;
    assert.equal(noAutoUpdate(windows), 1);
    await assertDone(run("Install-Kubernetes", { "-AutomaticUpdates": "1" }), true);
    assert.equal(noAutoUpdate(windows), undefined);
    // What its owner has set is neither ours to keep nor to take away.
    setNoAutoUpdate(windows, 1);
    await assertDone(run("Install-Kubernetes"), false);
    await run("Reset-Node");
    assert.equal(noAutoUpdate(windows), 1);
  });

  it("the machine's time zone is the one of the settings; without one it stays", async () => {
    await prepareThrough(machine, "Install-Kubernetes");
    const versions = { kubernetes: "1.36.4", containerd: "2.4.2" };
    const software = officialSoftware(versions, { checksums: {}, lock: {}, folders: {} });
    const sums = { kubelet: "", kubeadm: "", kubeLogRunner: "", kubeProxy: "" };
    for (const [timeZone, changed] of [
      ["UTC", false],
      ["Europe/Berlin", true],
      ["Europe/Berlin", false],
      ["", false],
    ] as const) {
      const { TimeZone } = kubernetesValues(software, { ...defaultSetup, timeZone }, sums);
      await assertDone(run("Install-Kubernetes", { "-TimeZone": `"${TimeZone}"` }), changed);
    }
    const key = "SYSTEM\\CurrentControlSet\\Control\\TimeZoneInformation";
    const zone = machine.windows.registry.make(key).get("TimeZoneKeyName");
    assert.equal(zone, "W. Europe Standard Time");
  });

  it("what was set about updates before comes back with the reset", async () => {
    await prepareThrough(machine, "Install-Containerd");
    const { windows } = machine;
    setNoAutoUpdate(windows, 0);
    await run("Install-Kubernetes");
    assert.equal(noAutoUpdate(windows), 1);
    const reset = await run("Reset-Node");
    assert.ok((reset.facts["removed"] as string[]).includes("policy NoAutoUpdate"));
    assert.equal(noAutoUpdate(windows), 0);
  });

  it("a program that is none ends in an error, not in a service", async () => {
    await prepareThrough(machine, "Install-Containerd");
    await machine.windows.drive.write("C:\\Program Files\\containerd\\containerd.exe", "text");
    await assertFails(run("Install-Containerd"), "Unexpected", /not a valid Win32 application/);
  });

  it("kubelet runs on where a medium of kubeadm, or of what comes after kubelet, is missing", async () => {
    await becomeNode();
    const { kubelet } = await media();
    await machine.windows.drive.write("C:\\k\\kubeadm.exe", "damaged");
    const { kubeadm, kubeLogRunner } = machine.media;
    await machine.windows.drive.remove(pathOf(kubeadm));
    const given = { "-KubeletPath": pathOf(kubelet), "-KubeletSha256": kubelet.sha256 };
    const before = await machine.windows.drive.readText("C:\\k\\kubelet.exe");
    await assertFails(run("Install-Kubernetes", given), "MediumMissing");
    assert.equal(await isRunning("kubelet"), true);
    assert.equal(await machine.windows.drive.readText("C:\\k\\kubelet.exe"), before);

    await writeFakeMedia(machine.windows.drive, { containerd: "2.4.2", kubernetes: "1.36.4" });
    await machine.windows.services.stop("kubelet");
    await machine.windows.drive.write("C:\\k\\kube-log-runner.exe", "damaged");
    await machine.windows.services.start("kubelet");
    await machine.windows.drive.write("C:\\k\\kubelet.exe", "damaged");
    await machine.windows.drive.remove(pathOf(kubeLogRunner));
    await assertFails(run("Install-Kubernetes"), "MediumMissing");
    assert.equal(await isRunning("kubelet"), true);
  });

  it("an archive without its program is said to be that, and what is there stays", async () => {
    await becomeNode();
    const other = machine.media.flannelPlugin;
    const given = { "-DaemonPath": pathOf(other), "-DaemonSha256": other.sha256 };
    const holdsNone = /\.tgz holds no flanneld\.exe\.$/;
    await assertFails(run("Install-Flannel", given), "CommandFailed", holdsNone);
    assert.equal(await machine.windows.drive.isFile("C:\\k\\flanneld.exe"), true);
    assert.equal(await isRunning("flanneld"), true);
    const archive = { "-ArchivePath": pathOf(other), "-ArchiveSha256": other.sha256 };
    const containerd = await run("Install-Containerd", archive);
    assert.match(containerd.errorMessage, /holds no bin\\containerd\.exe\.$/);
    assert.equal(await isRunning("containerd"), true);
  });

  it("a service that had stopped is started, and that is a change", async () => {
    await becomeNode();
    for (const [step, service] of [
      ["Install-Kubernetes", "kubelet"],
      ["Install-Containerd", "kubelet"],
      ["Install-Containerd", "containerd"],
      ["Install-Flannel", "flanneld"],
    ] as const) {
      assert.equal((await run(step)).changed, false, step);
      await machine.windows.services.stop(service);
      assert.equal((await run(step)).changed, true, step);
      assert.equal(await isRunning(service), true);
    }
  });

  it("flanneld keeps the variables that somebody else has given it", async () => {
    await becomeNode();
    const { services } = machine.windows;
    setServiceVariables(machine.windows, "flanneld", ["OWN=1", "NODE_NAME=old"]);
    await assertDone(run("Install-Flannel"), true);
    assert.deepEqual(services.environment("flanneld"), ["OWN=1", "NODE_NAME=win-1"]);
  });

  it("updates are given back also where the policies have been taken away since", async () => {
    setNoAutoUpdate(machine.windows, 0);
    await prepareThrough(machine, "Install-Kubernetes");
    const { registry, drive } = machine.windows;
    registry.remove("SOFTWARE\\Policies\\Microsoft\\Windows\\WindowsUpdate\\AU");
    await assertDone(run("Install-Kubernetes", { "-AutomaticUpdates": "1" }));
    assert.equal(noAutoUpdate(machine.windows), undefined);
    assert.equal(await drive.isFile("C:\\kindows\\state\\automatic-update.json"), false);
  });

  describe("an image", () => {
    const pulls: RunOptions[] = [];
    beforeEach(async () => {
      pulls.length = 0;
      await prepareThrough(machine, "Install-Containerd");
      const { programs } = machine;
      const original = programs.run.bind(programs);
      programs.run = (exe, args, options: RunOptions) => {
        if (!args.includes("pull")) return original(exe, args, options);
        pulls.push(options);
        const stderr = "\x1b[32mresolving\x1b[0m\r\x1b[1;31mno such host\x1b[0m\n";
        return Promise.resolve({ exitCode: 1, stdout: "", stderr });
      };
    });

    it("that can't be pulled: why, without the colours of a terminal", async () => {
      const result = await assertDone(run("Add-ContainerImage"));
      assert.match(String(result.facts["warning"]), /: resolving no such host$/);
    });

    it("is pulled by the given proxy; without one by none, whatever the machine has", async () => {
      setVariable(machine.windows, "HTTPS_PROXY", "http://inherited.test:3128");
      await run("Add-ContainerImage", { "-Proxy": "http://proxy.test:3128" });
      await run("Add-ContainerImage");
      assert.deepEqual(
        pulls.map(({ environment }) => environment?.filter((each) => each.includes("PROXY"))),
        [["HTTPS_PROXY=http://proxy.test:3128"], []],
      );
    });
  });
});
