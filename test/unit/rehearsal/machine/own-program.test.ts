import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { archiveOf } from "../../../rehearsed-machine/fake-media.ts";
import { fakeExecutable } from "../../../rehearsed-machine/fake-programs.ts";
import { assertDone, assertFails, hostFor, runGood, runStep } from "./step-runner.ts";

describe("A program of the user's on a node, rehearsed", () => {
  const machine = hostFor("each", "Join-Node");
  const kubelet = "C:\\k\\kubelet.exe";
  const copied = "C:\\k\\kubelet-deploy\\kubelet.exe";
  const archive = "C:\\kindows\\deploy-0.tar.gz";

  const copy = async (content: Buffer, path = kubelet): Promise<readonly string[]> => {
    const name = path.split("\\").at(-1) ?? "";
    const packed = await archiveOf({ [name]: content });
    await machine.windows.drive.write(archive, packed);
    const sha256 = createHash("sha256").update(packed).digest("hex");
    return [
      ...["-Path", `"${path}"`, "-Archive", archive, "-Sha256", sha256],
      ...["-Releases", "1.33-1.36"],
    ];
  };
  const install = async (version: string) =>
    runStep(machine, "Install-OwnProgram", await copy(fakeExecutable("kubelet", version)));
  const restore = (...args: string[]) => runStep(machine, "Restore-InstalledProgram", args);
  const read = (path = kubelet) => machine.windows.drive.readText(path);
  const isRunning = (name: string) => machine.windows.services.isRunning(name);

  it("replaces the installed one, which an undo brings back", async () => {
    const before = await read();
    const since = new Date();
    const { facts } = await assertDone(install("1.36.4-mine+abc"), true, {
      version: "1.36.4-mine+abc",
      insteadOf: machine.media.kubelet.sha256,
    });
    assert.ok(new Date(String(facts["since"])).getTime() >= since.getTime() - 1000);
    assert.match((await read()) ?? "", /1\.36\.4-mine/);
    assert.equal(await isRunning("kubelet"), true);
    assert.equal(machine.programs.commands.at(-1)?.startsWith(kubelet), true);
    // Another one after it: the installed one stays.
    await assertDone(install("1.36.5-mine"), true);
    assert.equal(await read(`${kubelet}.before`), before);
    await assertDone(restore(), true, { restored: [kubelet] });
    assert.equal(await read(), before);
    assert.equal(await read(`${kubelet}.before`), undefined);
    assert.equal(await isRunning("kubelet"), true);
    await assertDone(runGood(machine, "Install-Kubernetes"), false, { kubeletFrom: "installed" });
  });

  it("stays when the step runs again with the program that it replaced, and ends with another", async () => {
    await assertDone(install("1.36.4-mine"));
    await assertDone(runGood(machine, "Install-Kubernetes"), false, { kubeletFrom: "deployed" });
    assert.match((await read()) ?? "", /mine/);
    const other = fakeExecutable("kubelet", "1.36.4");
    const medium = "C:\\kindows\\media\\other\\kubelet.exe";
    const content = Buffer.concat([other, Buffer.from("\n")]);
    await machine.windows.drive.write(medium, content);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const given = { "-KubeletPath": medium, "-KubeletSha256": sha256 };
    await assertDone(runGood(machine, "Install-Kubernetes", given), true, { kubeletFrom: "media" });
    assert.doesNotMatch((await read()) ?? "", /mine/);
    assert.equal(await read(`${kubelet}.before`), undefined);
    await assertFails(restore(), "NotReplaced", /^No program was replaced/);
  });

  const refused: Readonly<
    Record<string, readonly [content: Buffer, code: string, message: RegExp]>
  > = {
    "of a version that does not fit": [
      fakeExecutable("kubelet", "1.37.0"),
      "VersionMismatch",
      /says 'Kubernetes v1\.37\.0', expected was version 1\.33-1\.36/,
    ],
    "that does not run": [Buffer.from("x"), "Unexpected", /not a valid Win32 application/],
  };
  for (const [what, [content, code, message]] of Object.entries(refused)) {
    it(`is refused before anything stops: one ${what}`, async () => {
      const { commands } = machine.programs;
      const started = commands.filter((line) => line.includes("--config=")).length;
      const before = await read();
      await assertFails(runStep(machine, "Install-OwnProgram", await copy(content)), code, message);
      assert.equal(await read(), before);
      assert.equal(await read(archive), undefined);
      assert.equal(await read(copied), undefined);
      assert.equal(await read(`${kubelet}.before`), undefined);
      const looked = commands.filter((line) => line.startsWith(copied)).length;
      const after = commands.filter((line) => line.includes("--config=")).length;
      assert.equal(after - looked, started, commands.slice(-3).join("\n"));
    });
  }

  it("is refused if the copy is another file", async () => {
    const args = await copy(fakeExecutable("kubelet", "1.36.4-mine"));
    await machine.windows.drive.write(archive, await archiveOf({ "kubelet.exe": "cut" }));
    await assertFails(
      runStep(machine, "Install-OwnProgram", args),
      "ChecksumMismatch",
      /SHA-256/,
      /kindows deploy/,
    );
  });

  it("kubelet has to take its service's arguments", async () => {
    await machine.windows.services.change("kubelet", {
      commandLine: `${machine.windows.services.get("kubelet")?.commandLine ?? ""} --network-plugin=cni`,
    });
    await assertFails(install("1.36.4-mine"), "CommandFailed", /unknown flag: --network-plugin/);
  });

  it("containerd: kubelet stops with it and runs again; the step keeps it, and its archive's end it", async () => {
    const containerd = "C:\\Program Files\\containerd\\containerd.exe";
    const args = await copy(fakeExecutable("containerd", "2.5.0-dev"), containerd);
    const run = runStep(machine, "Install-OwnProgram", args.with(-1, "2.0-2.999"));
    await assertDone(run, true, {
      version: "2.5.0-dev",
      insteadOf: machine.media.containerd.sha256,
    });
    assert.deepEqual([await isRunning("containerd"), await isRunning("kubelet")], [true, true]);
    await assertDone(runGood(machine, "Install-Containerd"), false, { archiveFrom: "deployed" });
    await assertDone(restore("-Paths", `"${containerd}"`), true, { restored: [containerd] });
    await assertDone(runGood(machine, "Install-Containerd"), false, { archiveFrom: "installed" });
    assert.deepEqual([await isRunning("containerd"), await isRunning("kubelet")], [true, true]);
  });

  it("containerd of the settings: its archive ends a deployed one", async () => {
    const containerd = "C:\\Program Files\\containerd\\containerd.exe";
    const args = await copy(fakeExecutable("containerd", "2.5.0-dev"), containerd);
    await assertDone(runStep(machine, "Install-OwnProgram", args.with(-1, "2.0-2.999")));
    const packed = await archiveOf({
      "bin/containerd.exe": fakeExecutable("containerd", "2.5.1-mine"),
      "bin/ctr.exe": fakeExecutable("ctr", "2.5.1-mine"),
      "bin/containerd-shim-runhcs-v1.exe": "mine",
    });
    const medium = "C:\\kindows\\media\\mine\\containerd.tar.gz";
    await machine.windows.drive.write(medium, packed);
    const sha256 = createHash("sha256").update(packed).digest("hex");
    const given = { "-ArchivePath": medium, "-ArchiveSha256": sha256, "-Releases": "2.0-2.999" };
    await assertDone(runGood(machine, "Install-Containerd", given), true, { archiveFrom: "media" });
    assert.match((await read(containerd)) ?? "", /2\.5\.1-mine/);
    assert.equal(await read(`${containerd}.before`), undefined);
  });

  it("that cannot be exchanged back leaves the services running", async () => {
    await assertDone(install("1.36.4-mine"));
    machine.windows.lockedFiles.add(`${kubelet}.before`);
    await assertFails(restore(), "FileInUse", /kubelet\.exe/);
    assert.equal(await isRunning("kubelet"), true);
    machine.windows.lockedFiles.clear();
    await assertDone(restore(), true, { restored: [kubelet] });
  });

  it("kubeadm says its version in its own way, and a CNI plugin says none", async () => {
    const kubeadm = await copy(fakeExecutable("kubeadm", "1.36.4-mine"), "C:\\k\\kubeadm.exe");
    await assertDone(runStep(machine, "Install-OwnProgram", kubeadm), true, {
      version: "1.36.4-mine",
    });
    const plugin = "C:\\opt\\cni\\bin\\win-overlay.exe";
    const args = await copy(Buffer.from("mine"), plugin);
    const run = runStep(machine, "Install-OwnProgram", args.with(-1, '""'));
    await assertDone(run, true, { version: "" });
    assert.equal(await read(plugin), "mine");
  });

  it("that nothing was in place of is gone after an undo", async () => {
    const proxy = "C:\\k\\kube-proxy.exe";
    const args = await copy(fakeExecutable("kubelet", "1.36.4"), proxy);
    await assertDone(runStep(machine, "Install-OwnProgram", args), true, { insteadOf: "" });
    assert.notEqual(await read(proxy), undefined);
    // The step installs none, and takes away none that the user has deployed.
    await assertDone(runGood(machine, "Install-Kubernetes"), false, { kubeProxyFrom: "deployed" });
    await assertFails(restore("-Paths", kubelet), "NotReplaced", /kubelet\.exe was replaced/);
    await assertDone(restore(), true, { restored: [proxy] });
    assert.equal(await read(proxy), undefined);
    assert.equal(await read(`${proxy}.before`), undefined);
  });

  it("of the settings may be of another release, and kube-proxy is one only as long as they name it", async () => {
    const medium = async (name: string, version: string) => {
      const content = fakeExecutable("kubelet", version);
      const sha256 = createHash("sha256").update(content).digest("hex");
      const file = `C:\\kindows\\media\\${sha256}\\${name}.exe`;
      await machine.windows.drive.write(file, content);
      return { file, sha256 };
    };
    const [own, proxy] = [await medium("a", "1.35.9-mine"), await medium("b", "1.36.4-mine")];
    const given = { "-KubeletPath": own.file, "-KubeletSha256": own.sha256 };
    const owned = {
      ...{
        ...given,
        "-KubeletReleases": "1.33-1.36",
        "-KubeadmReleases": "1.33-1.36",
        "-KubeProxyPath": proxy.file,
      },
      ...{ "-KubeProxySha256": proxy.sha256, "-KubeProxyReleases": "1.33-1.36" },
    };
    const facts = { kubeletFrom: "media", kubeProxyFrom: "media" };
    // The image's own runs in its container, and ends for the other one.
    const { runningPrograms } = machine.windows;
    const before = "C:\\hpc\\kube-proxy\\kube-proxy.exe";
    runningPrograms.add(before);
    await assertDone(runGood(machine, "Install-Kubernetes", owned), true, facts);
    assert.equal(runningPrograms.has(before), false);
    assert.equal(await isRunning("kubelet"), true);
    await assertDone(runGood(machine, "Install-Kubernetes", owned), false);
    const without = { kubeletFrom: "media", kubeProxyFrom: "none" };
    await assertDone(runGood(machine, "Install-Kubernetes"), true, without);
    assert.equal(await read("C:\\k\\kube-proxy.exe"), undefined);
  });

  it("is for nodes only", async () => {
    await assertDone(runGood(machine, "Reset-Node"));
    const run = runStep(
      machine,
      "Install-OwnProgram",
      await copy(fakeExecutable("kubelet", "1.36.4")),
    );
    await assertFails(run, "KubernetesMissing");
  });
});
