import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { toText } from "../../../../rehearsal/powershell/convert.ts";
import { raised } from "../../../../rehearsal/powershell/types.ts";
import { undoCommand } from "../../../../host/ssh/windows-command.ts";
import { reset } from "../../../../components/windows/steps.ts";
import { addNetwork, listing, networkNames, setVariable } from "./machine-listing.ts";
import { remoteSteps } from "./ssh-client.ts";
import {
  assertDone,
  assertFails,
  hostFor,
  prepareThrough,
  runCommand,
  runGood,
  runStep,
} from "./step-runner.ts";

const containerd = "C:\\Program Files\\containerd";
const imagesFolder = "C:\\ProgramData\\containerd\\root";
/** Below drive C:. */
const stepsFolder = remoteSteps.replaceAll("\\", "/").slice(3);

describe("Reset-Node, rehearsed", () => {
  const machine = hostFor("each");

  /** What Calico leaves on a node besides. */
  const addCalico = async (): Promise<void> => {
    const { windows } = machine;
    addNetwork(windows, "External", ["win-1_ep"]);
    addNetwork(windows, "Calico", ["Calico_ep", "0f3c"]);
    setVariable(windows, "CALICO_NODENAME_FILE", "C:\\CalicoWindows\\nodename");
    setVariable(windows, "FELIX_VXLANVNI", "4096");
    const overlay = { displayName: "Overlay", protocol: "UDP", port: 4789 } as const;
    windows.state.firewallRules["OverlayTraffic4789UDP"] = overlay;
    await windows.drive.write("C:\\var\\log\\calico\\cni\\cni.log", "x");
    await windows.drive.write("C:\\ProgramData\\containerd\\root\\layer", "x");
  };

  for (const step of [
    "Test-WindowsHost",
    "Install-Containerd",
    "Install-Kubernetes",
    "Join-Node",
  ]) {
    it(`leaves nothing of a machine that came as far as ${step}, twice in a row too`, async () => {
      const before = await listing(machine);
      await prepareThrough(machine, step);
      if (step === "Join-Node") await addCalico();
      const first = await assertDone(runStep(machine, "Reset-Node"));
      assert.equal(first.changed, step !== "Test-WindowsHost");
      assert.equal(first.facts["wasJoined"], step === "Join-Node");
      assert.deepEqual(await listing(machine), before);
      const second = await assertDone(runStep(machine, "Reset-Node"), false);
      assert.deepEqual(second.facts["removed"], []);
      assert.deepEqual(await listing(machine), before);
    });
  }

  it("undoes what the steps and Calico have done, what needs another thing before that thing", async () => {
    const before = await listing(machine);
    await prepareThrough(machine, "Join-Node");
    for (const step of [
      "Install-Flannel",
      "Add-ContainerImage",
      "Set-MachineProxy",
      "Set-ClusterRoute",
    ]) {
      await assertDone(runGood(machine, step));
    }
    const images = Array.from({ length: 120 }, (_, index) => `i.test/i:${index}\n`).join("");
    await machine.windows.drive.write(`${imagesFolder}\\fake-images.txt`, images);
    await addCalico();
    machine.windows.registry.make("SOFTWARE\\Tigera\\Calico").set("x", "1", "String");
    machine.windows.runningPrograms.add(`${containerd}\\containerd-shim-runhcs-v1.exe`);
    const { facts, stderr } = await runStep(machine, "Reset-Node");
    // Fifty at a time: a command line has its limit.
    const removals = machine.programs.commands.filter((line) => line.includes("images remove"));
    assert.equal(removals.length, 3);
    const kinds =
      /service \w+|images|process|rule|variable|policy|proxy|PATH|key|exclusion|hosts|DNS|route|folder|network/;
    const order = (facts["removed"] as string[]).map((each) => kinds.exec(each)?.[0]);
    const expected =
      "service kubelet,service flanneld,images,process,service containerd,rule,variable,policy,proxy,PATH," +
      "key,exclusion,hosts,DNS,route,folder,network";
    assert.equal([...new Set(order)].join(), expected, stderr);
    assert.equal((facts["removed"] as string[]).at(-1), "network External");
    assert.deepEqual(await listing(machine), before);
  });

  it("leaves what is not a node's", async () => {
    const { windows } = machine;
    await windows.drive.write("C:\\etc\\other\\file", "x");
    await windows.drive.write("C:\\Windows\\System32\\drivers\\etc\\hosts", "10.0.0.9 nas\r\n");
    setVariable(windows, "JAVA_HOME", "C:\\java");
    setVariable(windows, "HTTP_PROXY", "http://theirs.test:3128");
    windows.state.defenderExclusions = ["D:\\builds", "C:\\kk"];
    addNetwork(windows, "nat");
    setVariable(windows, "Path", "%SystemRoot%\\system32;%SystemRoot%;C:\\tools");
    windows.state.firewallRules["sshd"] = { displayName: "sshd", protocol: "TCP", port: 22 };
    const before = await listing(machine);
    await prepareThrough(machine, "Join-Node");
    await assertDone(runGood(machine, "Set-MachineProxy"));
    await addCalico();
    await assertDone(runStep(machine, "Reset-Node"));
    assert.deepEqual(await listing(machine), before);
  });

  it("works when the cluster is gone, and kubeadm with it", async () => {
    const before = await listing(machine);
    await prepareThrough(machine, "Join-Node");
    machine.programs.connect = () => Promise.resolve("connection refused");
    await machine.windows.drive.write("C:\\k\\kubeadm.exe", "no program any more");
    const result = await assertDone(runStep(machine, "Reset-Node"), true);
    assert.match(result.stderr, /kubeadm could not reset the node: /);
    assert.deepEqual(await listing(machine), before);
  });

  it("tells all it could not remove, and removes the rest", async () => {
    await prepareThrough(machine, "Join-Node");
    const { drive, openFiles } = machine.windows;
    await drive.write("C:\\opt\\cni\\bin\\held.exe", "x");
    openFiles.add("C:\\opt\\cni\\bin\\held.exe");
    const inUse = /folders: in use or not ours to remove: C:\\opt\\cni$/;
    await assertFails(runStep(machine, "Reset-Node"), "ResetFailed", inUse, /reboot/);
    assert.deepEqual(machine.windows.services.names(), []);
    assert.deepEqual(machine.programs.hostsEntries, []);
  });

  it("what it could not restore is restored by the next run", async () => {
    await prepareThrough(machine, "Join-Node");
    await runGood(machine, "Set-ClusterRoute");
    const { windows } = machine;
    windows.beforeCmdlet = ({ name }) => {
      if (name === "Remove-NetRoute") {
        throw raised("System.UnauthorizedAccessException", "Access is denied.");
      }
    };
    const result = await runStep(machine, "Reset-Node");
    assert.match(result.errorMessage, /removed\. routes: Access is denied\.$/);
    windows.beforeCmdlet = () => undefined;
    await assertDone(runStep(machine, "Reset-Node"));
    assert.deepEqual(windows.state.routes, []);
  });

  it("a network that can't be removed keeps no other from being removed", async () => {
    await prepareThrough(machine, "Join-Node");
    await addCalico();
    machine.windows.beforeCmdlet = (call) => {
      const isCalico = /Name=Calico[;}]/.test(toText(call.get("InputObject") ?? null));
      if (call.name === "Remove-HnsNetwork" && isCalico)
        throw raised("System.Exception", "In use.");
    };
    const result = await runStep(machine, "Reset-Node");
    assert.match(result.errorMessage, /networks: Calico: In use\.$/);
    assert.deepEqual(networkNames(machine.windows), ["Calico"]);
  });

  it("needs neither a Defender that answers nor a containerd that runs", async () => {
    await prepareThrough(machine, "Install-Containerd");
    await machine.windows.services.stop("containerd");
    machine.windows.beforeCmdlet = ({ name }) => {
      if (name === "Get-MpPreference") {
        throw raised("System.Exception", "The service cannot be started.");
      }
    };
    const result = await assertDone(runStep(machine, "Reset-Node"));
    assert.match(result.stderr, /Defender's exclusions could not be read: The service cannot/);
  });

  for (const [looks, problem] of [
    [3, ""],
    [Infinity, "marked for deletion but still there after 30 s."],
  ] as const) {
    it(`waits until a deleted service is gone, which is seen ${looks} times more`, async () => {
      await prepareThrough(machine, "Install-Containerd");
      const { services } = machine.windows;
      const get = services.get.bind(services);
      let left: number = looks;
      let isDeleted = false;
      services.remove = () => Promise.resolve(void (isDeleted = true));
      services.get = (name) => (isDeleted && left-- <= 0 ? undefined : get(name));
      const { errorMessage, facts } = await runStep(machine, "Reset-Node");
      assert.ok(errorMessage.endsWith(problem), errorMessage);
      const removed = (facts["removed"] ?? []) as string[];
      assert.equal(removed.includes("service containerd"), problem === "");
    });
  }

  it("needs no hosts file", async () => {
    await rm(join(machine.driveC, "Windows/System32/drivers/etc/hosts"));
    await assertDone(runStep(machine, "Reset-Node"), false);
  });

  it("whatever fails ends with one of the exit codes that its help lists", async () => {
    machine.windows.lockedFiles.add("C:\\Windows\\System32\\drivers\\etc\\hosts");
    await assertFails(runStep(machine, "Reset-Node"), "ResetFailed");
    const help = await readFile(join(machine.driveC, stepsFolder, "Reset-Node.ps1"), "utf8");
    const [list = ""] = /(?<=Exit codes: )[^#]*?(?=\.\r?\n)/.exec(help) ?? [];
    assert.deepEqual(list.match(/\b\d+\b/g)?.map(Number), [0, 1, 10, 11, 12, 16, 55]);
  });

  it("its command does nothing where the scripts are gone", async () => {
    const run = () => runCommand(machine, undoCommand(remoteSteps, reset));
    assert.match((await run()).stdout, /"step":"Reset-Node","changed":false/);
    await rm(join(machine.driveC, "kindows"), { recursive: true });
    assert.deepEqual(await run(), { exitCode: 0, stdout: "", stderr: "" });
  });
});
