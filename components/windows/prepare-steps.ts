import * as pulumi from "@pulumi/pulumi";
import { checksums } from "./checksum.ts";
import { mediumPath } from "./media-folder.ts";
import type { HostRequirements } from "./host-requirements.ts";
import { renderRegistryMirrors, type MachineProxy, type NodeSetup } from "./node-setup.ts";
import { resetCommand } from "./reset-command.ts";
import { stepCommand } from "./step-command.ts";
import { stepSeconds } from "./step-timeouts.ts";
import { fileNameOf, type Medium, type MediumName, type WindowsSoftware } from "./software.ts";
import { pushMedia } from "./push-media.ts";
import { windowsStep, type StepContext, type WindowsStep } from "./windows-step.ts";

/** Folders of the pod network's programs and configuration: the defaults of Calico's operator. */
const cniFolders = { CniBinDirectory: "C:/opt/cni/bin", CniConfDirectory: "C:/etc/cni/net.d" };

/** Seconds the session that orders a reboot has to end. */
const rebootDelaySeconds = 5;

/** Seconds the session that orders a network has to end. */
const networkDelaySeconds = 5;

/** The steps of a prepared machine that others need. */
export interface PreparedMachine {
  readonly host: WindowsStep;
  readonly containerd: WindowsStep;
  readonly kubernetes: WindowsStep;
  /** The last one of all. */
  readonly last: WindowsStep;
}

/**
 * From a fresh Windows Server to one that only lacks a cluster; nothing here waits for a control plane.
 *
 * @param scripts the step scripts on the machine.
 */
export function prepareSteps(
  context: StepContext,
  software: WindowsSoftware,
  requirements: HostRequirements,
  setup: NodeSetup,
  scripts: pulumi.Resource,
): PreparedMachine {
  const checksum = checksums(context.machine.name, software, context.parent);
  const place = (medium: Medium): pulumi.Output<string> =>
    checksum(medium).apply((sha256) => mediumPath(sha256, fileNameOf(medium)));

  const host = windowsStep(context, "Test-WindowsHost", {
    values: {
      ComputerName: context.machine.name,
      MinimumBuild: requirements.minimumBuild,
      MinimumRevision: requirements.minimumRevision,
      MinimumFreeDiskGiB: requirements.minimumFreeDiskGiB,
      MinimumMemoryMiB: requirements.minimumMemoryMiB,
      PodNetwork: setup.podNetwork,
    },
    // The first that is made is the last that goes: whatever came after it, also from a run that failed half way.
    undo: resetCommand(context.folder),
    undoSeconds: stepSeconds("Reset-Node", context.timeouts),
    dependsOn: [scripts],
  });
  const feature = windowsStep(context, "Enable-ContainersFeature", {
    values: { RebootDelaySeconds: rebootDelaySeconds },
    dependsOn: [host.command],
  });
  const reboot = windowsStep(context, "Confirm-Reboot", {
    values: {},
    dependsOn: [feature.command],
  });
  const proxy = setup.proxy && proxyStep(context, setup.proxy, reboot);
  // Not before: nothing else may be under way when the machine reboots.
  const pushed = pushMedia(context, software, [reboot.command]);
  const pushes = (...names: MediumName[]): pulumi.Resource[] =>
    names.flatMap((name) => pushed[name] ?? []);
  const containerd = windowsStep(context, "Install-Containerd", {
    values: pulumi.output({
      Version: software.versions.containerd,
      ArchivePath: place(software.containerd),
      ArchiveSha256: checksum(software.containerd),
      PauseImage: software.pauseImage,
      ...cniFolders,
      RegistryMirrors: renderRegistryMirrors(setup.registryMirrors),
      DefenderExclusions: setup.defenderExclusions ? 1 : 0,
    }),
    dependsOn: [(proxy ?? reboot).command, ...pushes("containerd")],
  });
  const kubernetes = windowsStep(context, "Install-Kubernetes", {
    values: pulumi.output({
      Version: software.versions.kubernetes,
      KubeletPath: place(software.kubelet),
      KubeletSha256: checksum(software.kubelet),
      KubeadmPath: place(software.kubeadm),
      KubeadmSha256: checksum(software.kubeadm),
      KubeLogRunnerPath: place(software.kubeLogRunner),
      KubeLogRunnerSha256: checksum(software.kubeLogRunner),
      DefenderExclusions: setup.defenderExclusions ? 1 : 0,
    }),
    dependsOn: [containerd.command, ...pushes("kubelet", "kubeadm", "kubeLogRunner")],
  });
  const last = setup.podNetwork === "calico" ? externalNetwork(context, kubernetes) : kubernetes;
  return { host, containerd, kubernetes, last };
}

/** Made only where there is a proxy; taking it out of the settings takes it off the machine. */
function proxyStep(
  context: StepContext,
  { http, https, noProxy }: MachineProxy,
  after: WindowsStep,
): WindowsStep {
  return windowsStep(context, "Set-MachineProxy", {
    values: { HttpProxy: http, HttpsProxy: https, NoProxy: noProxy },
    undo: stepCommand(context.folder, "Set-MachineProxy", {
      HttpProxy: "",
      HttpsProxy: "",
      NoProxy: "",
    }),
    undoSeconds: stepSeconds("Set-MachineProxy", context.timeouts),
    dependsOn: [after.command],
  });
}

/** Made only for Calico: the network whose making cuts the machine off, before Calico makes it at a time of its own. */
function externalNetwork(context: StepContext, after: WindowsStep): WindowsStep {
  const values = pulumi.output({
    Address: context.machine.address,
    DelaySeconds: networkDelaySeconds,
  });
  const added = windowsStep(context, "Add-ExternalNetwork", { values, dependsOn: [after.command] });
  return windowsStep(context, "Confirm-ExternalNetwork", { values, dependsOn: [added.command] });
}
