import type { StepContext, StepOutcome } from "../step.ts";
import { StepError } from "../step-error.ts";
import { disableAutomaticUpdate, restoreAutomaticUpdate } from "./automatic-update.ts";
import { isChecked, noteChecked } from "./checked-program.ts";
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

/** A program of Kubernetes' on the machine. */
interface Program {
  readonly path: string;
  /** What the names of its Path and Sha256 parameters begin with. */
  readonly parameter: string;
  /** Name of the fact that tells where it came from. */
  readonly fact: string;
  /** Whether the service kubelet runs it. */
  readonly ofService: boolean;
  /** Arguments that make it say its version; undefined: it is not asked. */
  readonly ask?: readonly string[];
}

const programs: readonly Program[] = [
  {
    path: "C:\\k\\kubelet.exe",
    parameter: "Kubelet",
    fact: "kubeletFrom",
    ofService: true,
    ask: ["--version"],
  },
  {
    path: "C:\\k\\kubeadm.exe",
    parameter: "Kubeadm",
    fact: "kubeadmFrom",
    ofService: false,
    ask: ["version", "--output", "short"],
  },
  {
    path: "C:\\k\\kube-log-runner.exe",
    parameter: "KubeLogRunner",
    fact: "kubeLogRunnerFrom",
    ofService: true,
  },
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

  const from: Record<string, "installed" | "media"> = {};
  const checkedAs = ({ path, parameter, ask }: Program) =>
    [host.drive, path, parameters.text(`${parameter}Sha256`), ask ? version : ""] as const;
  const unchecked: Program[] = [];
  for (const program of programs) {
    if (await isChecked(...checkedAs(program))) {
      from[program.fact] = "installed";
      continue;
    }
    from[program.fact] = await installProgram(context, program);
    unchecked.push(program);
    await context.checkpoint();
  }
  await removeReplacedFiles(host, "C:\\k");
  let changed = exclusion.changed;
  if (Object.values(from).includes("media")) {
    changed = true;
  }

  // Side by side: a program's start takes seconds of an emulated CPU.
  await Promise.all(
    unchecked.map(async ({ path, ask }) => {
      if (ask !== undefined) await checkVersion(context, path, ask, version);
    }),
  );
  for (const program of unchecked) await noteChecked(...checkedAs(program));

  if (await host.settings.addToPath("C:\\k")) changed = true;
  if (await registerKubeletService(host)) changed = true;
  if (await setServiceProxy(host, "kubelet")) changed = true;
  const rule = { displayName: "kubelet", protocol: "TCP", port: 10250 } as const;
  if (await host.settings.setFirewallRule("kubelet", rule)) changed = true;
  const updates = parameters.integer("AutomaticUpdates") === 1;
  if (updates ? await restoreAutomaticUpdate(host) : await disableAutomaticUpdate(host)) {
    changed = true;
  }
  await startJoinedKubelet(context);
  const defenderExclusions = exclusion.state;
  return {
    changed,
    facts: { version, ...from, defenderExclusions },
  };
}

async function installProgram(
  context: StepContext,
  { path, parameter, ofService }: Program,
): Promise<"installed" | "media"> {
  const { host, parameters } = context;
  const { drive, services } = host;
  const sha256 = parameters.text(`${parameter}Sha256`);
  if ((await drive.sha256(path)) === sha256.toLowerCase()) return "installed";
  const medium = parameters.text(`${parameter}Path`);
  await assertMedium(context, medium, sha256);
  if (ofService && services.get("kubelet")) await services.stop("kubelet");
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
