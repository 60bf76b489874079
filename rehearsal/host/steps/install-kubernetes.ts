import { type StepContext, StepError, type StepOutcome } from "../step.ts";
import { setDefenderExclusion } from "./defender-exclusion.ts";
import { moveFileIntoPlace, removeReplacedFiles } from "./file-placement.ts";
import { registerKubeletService, startJoinedKubelet } from "./kubelet-service.ts";
import { makeKubernetesFolders } from "./kubernetes-folders.ts";
import { setServiceProxy } from "./machine-proxy.ts";
import { assertMedium } from "./media.ts";
import { runNative } from "./native-command.ts";

/** What Defender leaves alone. */
const exclusions = [
  "C:\\k",
  "C:\\var\\lib\\kubelet",
  "C:\\var\\log\\pods",
  "C:\\k\\kubelet.exe",
  "C:\\k\\kube-log-runner.exe",
];

/** Puts the real programs in place, asks them their version, and registers the service kubelet. */
export async function installKubernetes(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const version = parameters.text("Version");
  if (!host.services.get("containerd")) {
    throw new StepError(
      "ContainerdMissing",
      "There is no service containerd, which kubelet depends on.",
      "Run Install-Containerd first.",
    );
  }
  await makeKubernetesFolders(host.drive);

  const wanted = parameters.integer("DefenderExclusions") === 1;
  const exclusion = await setDefenderExclusion(host, wanted, exclusions);

  const kubeletFrom = await installProgram(context, "kubelet.exe", "Kubelet");
  await context.checkpoint();
  const kubeadmFrom = await installProgram(context, "kubeadm.exe", "Kubeadm");
  const kubeLogRunnerFrom = await installProgram(context, "kube-log-runner.exe", "KubeLogRunner");
  await removeReplacedFiles(host, "C:\\k");
  let changed = exclusion.changed;
  if ([kubeletFrom, kubeadmFrom, kubeLogRunnerFrom].some((from) => from !== "installed")) {
    changed = true;
  }

  // Side by side: a program's start takes seconds of an emulated CPU.
  await Promise.all([
    checkVersion(context, "C:\\k\\kubelet.exe", ["--version"], version),
    checkVersion(context, "C:\\k\\kubeadm.exe", ["version", "--output", "short"], version),
  ]);

  if (await host.addToPath("C:\\k")) changed = true;
  if (await registerKubeletService(host)) changed = true;
  if (await setServiceProxy(host, "kubelet")) changed = true;
  const rule = { displayName: "kubelet", protocol: "TCP", port: 10250 } as const;
  if (await host.setFirewallRule("kubelet", rule)) changed = true;
  await startJoinedKubelet(context);
  const defenderExclusions = exclusion.state;
  return {
    changed,
    facts: { version, kubeletFrom, kubeadmFrom, kubeLogRunnerFrom, defenderExclusions },
  };
}

/** `parameter` is what the names of its Path and Sha256 parameters begin with. */
async function installProgram(
  context: StepContext,
  fileName: string,
  parameter: string,
): Promise<"installed" | "media"> {
  const { host, parameters } = context;
  const { drive, services } = host;
  const path = `C:\\k\\${fileName}`;
  const sha256 = parameters.text(`${parameter}Sha256`);
  if ((await drive.sha256(path)) === sha256.toLowerCase()) return "installed";
  const medium = parameters.text(`${parameter}Path`);
  await assertMedium(context, medium, sha256);
  const runsInService = fileName !== "kubeadm.exe";
  if (runsInService && services.get("kubelet")) await services.stop("kubelet");
  await drive.copy(medium, `${path}.new`);
  await moveFileIntoPlace(host, `${path}.new`, path);
  return "media";
}

async function checkVersion(
  context: StepContext,
  exe: string,
  args: readonly string[],
  version: string,
): Promise<void> {
  const answer = await runNative(context, {
    exe,
    args,
    timeoutSeconds: 60,
    remedy: `Look whether ${exe} is a program for windows-amd64.`,
  });
  if (/v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)/.exec(answer)?.[1] === version) return;
  throw new StepError(
    "VersionMismatch",
    `${exe} says '${answer.trim()}', expected was version ${version}.`,
    "Set cluster.kubernetesVersion and the checksums of its Windows programs to the same release.",
  );
}
