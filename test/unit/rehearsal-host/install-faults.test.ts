/** What the steps that install do where something is amiss. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { artifactPath } from "../../../components/windows/media-folder.ts";
import { writeFakeMedia } from "../../../rehearsal/host/fake/fake-media.ts";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import type { RunOptions } from "../../../rehearsal/host/programs.ts";
import {
  goodArguments,
  prepareThrough,
  runStep,
  startWithSteps,
  withArgument,
  type StepRun,
} from "./step-runner.ts";
import {
  noAutoUpdate,
  setNoAutoUpdate,
  setServiceVariables,
  setVariable,
} from "./machine-registry.ts";

type Given = Readonly<Record<string, string>>;

describe("Installing where something is amiss, rehearsed", () => {
  let host: RehearsalHost;
  beforeEach(async () => {
    host = await startWithSteps();
  });
  afterEach(() => host.stop());

  const run = (step: string, given: Given = {}): Promise<StepRun> => {
    const args = goodArguments(host)[step] ?? [];
    const all = Object.entries(given).reduce<readonly string[]>(
      (before, [name, value]) =>
        before.includes(name) ? withArgument(before, name, value) : [...before, name, value],
      args,
    );
    return runStep(host, step, all);
  };
  const isRunning = (name: string): Promise<boolean> => host.windows.services.isRunning(name);
  /** A node that has joined, with Flannel, whose services all start with Windows and run. */
  const becomeNode = async (): Promise<void> => {
    await prepareThrough(host, "Join-Node");
    assert.equal((await run("Install-Flannel")).exitCode, 0);
    const { services } = host.windows;
    await services.change("flanneld", { startType: "auto" });
    await services.start("flanneld");
  };
  const media = () =>
    writeFakeMedia(host.windows.drive, { containerd: "2.5.0", kubernetes: "1.36.5" });
  const path = ({ sha256, fileName }: { sha256: string; fileName: string }): string =>
    artifactPath(sha256, fileName);

  it("kubelet runs on where a medium of kubeadm, or of what comes after kubelet, is missing", async () => {
    await becomeNode();
    const { kubelet } = await media();
    await host.windows.drive.write("C:\\k\\kubeadm.exe", "damaged");
    const { kubeadm, kubeLogRunner } = host.media;
    await host.windows.drive.remove(path(kubeadm));
    const given = { "-KubeletPath": path(kubelet), "-KubeletSha256": kubelet.sha256 };
    const before = await host.windows.drive.readText("C:\\k\\kubelet.exe");
    assert.equal((await run("Install-Kubernetes", given)).errorCode, "MediumMissing");
    assert.equal(await isRunning("kubelet"), true);
    assert.equal(await host.windows.drive.readText("C:\\k\\kubelet.exe"), before);

    await writeFakeMedia(host.windows.drive, { containerd: "2.4.2", kubernetes: "1.36.4" });
    await host.windows.services.stop("kubelet");
    await host.windows.drive.write("C:\\k\\kube-log-runner.exe", "damaged");
    await host.windows.services.start("kubelet");
    await host.windows.drive.write("C:\\k\\kubelet.exe", "damaged");
    await host.windows.drive.remove(path(kubeLogRunner));
    assert.equal((await run("Install-Kubernetes")).errorCode, "MediumMissing");
    assert.equal(await isRunning("kubelet"), true);
  });

  it("containerd and kubelet run on, as they were, where one of the files is held open", async () => {
    await becomeNode();
    const folder = "C:\\Program Files\\containerd";
    const { containerd } = await media();
    host.windows.openFiles.add(`${folder}\\ctr.exe`);
    const given = {
      "-Version": "2.5.0",
      "-ArchivePath": path(containerd),
      "-ArchiveSha256": containerd.sha256,
    };
    const result = await run("Install-Containerd", given);
    assert.equal(result.errorCode, "FileInUse");
    assert.match(result.errorMessage, /ctr\.exe can't be replaced/);
    assert.deepEqual([await isRunning("containerd"), await isRunning("kubelet")], [true, true]);
    const { drive } = host.windows;
    assert.match((await drive.readText(`${folder}\\containerd.exe`)) ?? "", /2\.4\.2/);
    const names = await readdir(await drive.resolve(folder));
    assert.deepEqual(
      names.filter((name) => name.endsWith(".replaced")),
      [],
    );
  });

  it("flanneld runs on where it is held open", async () => {
    await becomeNode();
    await host.windows.drive.remove("C:\\k\\flannel.sha256");
    host.windows.openFiles.add("C:\\k\\flanneld.exe");
    assert.equal((await run("Install-Flannel")).errorCode, "FileInUse");
    assert.equal(await isRunning("flanneld"), true);
  });

  it("an archive without its program is said to be that, and what is there stays", async () => {
    await becomeNode();
    const other = host.media.flannelPlugin;
    const given = { "-DaemonPath": path(other), "-DaemonSha256": other.sha256 };
    const result = await run("Install-Flannel", given);
    assert.deepEqual([result.exitCode, result.errorCode], [14, "CommandFailed"]);
    assert.match(result.errorMessage, /\.tgz holds no flanneld\.exe\.$/);
    assert.equal(await host.windows.drive.isFile("C:\\k\\flanneld.exe"), true);
    assert.equal(await isRunning("flanneld"), true);
    const archive = { "-ArchivePath": path(other), "-ArchiveSha256": other.sha256 };
    const containerd = await run("Install-Containerd", archive);
    assert.match(containerd.errorMessage, /holds no bin\\containerd\.exe\.$/);
    assert.equal(await isRunning("containerd"), true);
  });

  it("a broken archive is not blamed on the disk alone", async () => {
    await prepareThrough(host, "Confirm-Reboot");
    const sha256 = "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"; // of "foo\n"
    const broken = path({ sha256, fileName: "containerd-2.4.2-windows-amd64.tar.gz" });
    await host.windows.drive.write(broken, "foo\n");
    const result = await run("Install-Containerd", {
      "-ArchivePath": broken,
      "-ArchiveSha256": sha256,
    });
    assert.equal(result.errorCode, "CommandFailed");
    assert.match(result.remedy, /an archive that is whole/);
  });

  it("a service that had stopped is started, and that is a change", async () => {
    await becomeNode();
    for (const [step, service] of [
      ["Install-Kubernetes", "kubelet"],
      ["Install-Containerd", "kubelet"],
      ["Install-Flannel", "flanneld"],
    ] as const) {
      assert.equal((await run(step)).changed, false, step);
      await host.windows.services.stop(service);
      assert.equal((await run(step)).changed, true, step);
      assert.equal(await isRunning(service), true);
    }
  });

  it("flanneld keeps the variables that somebody else has given it", async () => {
    await becomeNode();
    const { services } = host.windows;
    setServiceVariables(host.windows, "flanneld", ["OWN=1", "NODE_NAME=old"]);
    assert.equal((await run("Install-Flannel")).changed, true);
    assert.deepEqual(services.environment("flanneld"), ["OWN=1", "NODE_NAME=win-1"]);
  });

  it("updates are given back also where the policies have been taken away since", async () => {
    setNoAutoUpdate(host.windows, 0);
    await prepareThrough(host, "Install-Kubernetes");
    const { registry, drive } = host.windows;
    registry.remove("SOFTWARE\\Policies\\Microsoft\\Windows\\WindowsUpdate\\AU");
    const result = await run("Install-Kubernetes", { "-AutomaticUpdates": "1" });
    assert.equal(result.exitCode, 0, result.stderr);
    assert.equal(noAutoUpdate(host.windows), undefined);
    assert.equal(await drive.isFile("C:\\kindows\\state\\automatic-update.json"), false);
  });

  describe("an image", () => {
    const pulls: RunOptions[] = [];
    beforeEach(async () => {
      pulls.length = 0;
      await prepareThrough(host, "Install-Containerd");
      const { programs } = host;
      const original = programs.run.bind(programs);
      programs.run = (exe, args, options: RunOptions) => {
        if (!args.includes("pull")) return original(exe, args, options);
        pulls.push(options);
        const stderr = "\x1b[32mresolving\x1b[0m\r\x1b[1;31mno such host\x1b[0m\n";
        return Promise.resolve({ exitCode: 1, stdout: "", stderr });
      };
    });

    it("that can't be pulled: why, without the colours of a terminal", async () => {
      const result = await run("Add-ContainerImage");
      assert.equal(result.exitCode, 0, result.stderr);
      assert.match(String(result.facts["warning"]), /: resolving no such host$/);
    });

    it("is pulled by the given proxy; without one by none, whatever the machine has", async () => {
      setVariable(host.windows, "HTTPS_PROXY", "http://inherited.test:3128");
      await run("Add-ContainerImage", { "-Proxy": "http://proxy.test:3128" });
      await run("Add-ContainerImage");
      assert.deepEqual(
        pulls.map(({ environment }) => environment?.filter((each) => each.includes("PROXY"))),
        [["HTTPS_PROXY=http://proxy.test:3128"], []],
      );
    });
  });
});
