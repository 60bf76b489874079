import assert from "node:assert/strict";
import { join } from "node:path";
import { execa } from "execa";
import { splitArguments } from "../../rehearsal/machine/cmd/arguments.ts";
import type { ProgramResult } from "../../rehearsal/machine/programs.ts";
import { workingProgram } from "../../rehearsal/machine/service-manager.ts";
import { kubernetesVersion } from "../../toolchain/tools/table.ts";
import { assertFails, joinInput, runStep } from "../unit/rehearsal/machine/step-runner.ts";
import { WineMachine } from "./wine-machine.ts";
import { testPrograms } from "./test-programs.ts";

const configPath = "C:\\var\\lib\\kubelet\\config.yaml";
const logPath = "C:\\var\\log\\kubelet\\kubelet.log";

/** What Join-Node adds to the service's arguments for a node with everything set. */
const nodeArguments = [
  "--hostname-override=win-1",
  "--node-ip=192.168.250.11",
  "--node-labels=pool=a,example.com/zone=b",
  "--register-with-taints=os=windows:NoSchedule",
  "--max-pods=50",
];

/** The KubeletConfiguration that kubeadm of this very version gives to a cluster that sets nothing. */
async function kubeadmsConfiguration(): Promise<string> {
  const { stdout } = await execa(
    join(testPrograms().kubernetesLinux, "kubeadm"),
    ["config", "print", "init-defaults", "--component-configs", "KubeletConfiguration"],
    { timeout: 30_000 },
  );
  const document = stdout
    .split(/^---$/m)
    .find((each) => /^kind: KubeletConfiguration$/m.test(each));
  if (document === undefined) throw new Error(`no KubeletConfiguration in:\n${stdout}`);
  return document;
}

describe("kubelet.exe, as Install-Kubernetes and Join-Node start it", () => {
  let machine: WineMachine;

  before(async () => {
    machine = await WineMachine.start();
    await machine.installContainerd();
    await machine.installKubernetes();
    await machine.windows.drive.write(configPath, await kubeadmsConfiguration());
  });
  after(() => machine.stop());

  /** The service's command line as the step has registered it, with arguments of this node. */
  const commandLineWith = (...further: string[]): string =>
    [machine.windows.services.get("kubelet")?.commandLine, ...nodeArguments, ...further].join(" ");

  /**
   * Runs the service's whole command line, kube-log-runner.exe first, asking for the version: kubelet looks at all its
   * arguments before it answers.
   */
  const ask = async (...further: string[]): Promise<ProgramResult & { readonly log: string }> => {
    await machine.windows.drive.remove(logPath);
    const commandLine = commandLineWith(...further, "--version");
    const [exe = "", ...args] = splitArguments(commandLine);
    return { ...(await machine.run(exe, args)), log: await machine.read(logPath) };
  };

  /** Runs kubelet itself until it ends for want of a cluster, or earlier. */
  const start = async (leftOut: RegExp = /^$/): Promise<ProgramResult> => {
    const { exe, args } = workingProgram(commandLineWith());
    return machine.run(
      exe,
      args.filter((argument) => !leftOut.test(argument)),
    );
  };

  it("knows every argument, and kube-log-runner.exe writes what it says to its log", async () => {
    const { exitCode, log, stderr } = await ask();
    assert.equal(exitCode, 0, `${stderr}${log}`);
    assert.match(log, new RegExp(`^Kubernetes v${kubernetesVersion}$`, "m"));
    assert.match(stderr, /log-file=C:\/var\/log\/kubelet\/kubelet\.log, log-file-size=52428800,/);
    assert.match(stderr, /log-file-age=168h0m0s/);
  });

  it("refuses --pod-infra-container-image, which it had once", async () => {
    const { exitCode, log } = await ask("--pod-infra-container-image=registry.k8s.io/pause:3.10.2");
    assert.notEqual(exitCode, 0);
    assert.match(log, /failed to parse kubelet flag: unknown flag: --pod-infra-container-image/);
  });

  it("is refused by Join-Node with an unknown argument, before the join", async () => {
    const args = [
      ...["-NodeName", "win-1", "-ApiServerEndpoint", "control-plane:6443"],
      ...["-NodeIp", "192.168.250.11", "-KubeletArgs", "pod-infra-container-image=x"],
    ];
    const unknown = /unknown flag: --pod-infra-container-image/;
    const run = runStep(machine, "Join-Node", args, joinInput);
    await assertFails(run, "KubeletArgsRefused", unknown);
  });

  it("accepts kubeadm's configuration with our arguments, until it needs a cluster's credentials", async () => {
    const { exitCode, stderr } = await start();
    assert.equal(exitCode, 1);
    const [last = ""] = stderr.trimEnd().split("\n").slice(-1);
    assert.match(
      last,
      /unable to load bootstrap kubeconfig: .*C:\/etc\/kubernetes\/bootstrap-kubelet\.conf/,
    );
    assert.match(stderr, new RegExp(`"Kubelet version" kubeletVersion="v${kubernetesVersion}"`));
    assert.doesNotMatch(stderr, /not supported on Windows|strict decoding/);
  });

  it("would complain of Linux' control groups without two of them", async () => {
    const { stderr } = await start(/^--(cgroups-per-qos|enforce-node-allocatable)=/);
    assert.match(stderr, /CgroupsPerQOS .* is not supported on Windows/);
    assert.match(stderr, /EnforceNodeAllocatable .* is not supported on Windows/);
  });
});
