import * as pulumi from "@pulumi/pulumi";
import { checksums } from "./checksum.ts";
import type { HostRequirements } from "./host-requirements.ts";
import { containerdValues, kubernetesValues, rebootDelaySeconds } from "./install-values.ts";
import { externalNetwork } from "./external-network.ts";
import { podNetworkName, type MachineProxy, type NodeSetup } from "./node-setup.ts";
import { resetCommand } from "./reset-command.ts";
import { stepCommand } from "./step-command.ts";
import { stepSeconds } from "./step-timeouts.ts";
import type { MediumName, WindowsSoftware } from "./software.ts";
import { pushMedia, type PushedMedia } from "./push-media.ts";
import { windowsStep, type StepContext, type WindowsStep } from "./windows-step.ts";

/** The steps of a prepared machine that others need. */
export interface PreparedMachine {
  readonly host: WindowsStep;
  readonly containerd: WindowsStep;
  readonly kubernetes: WindowsStep;
  /** The last one of all. */
  readonly last: WindowsStep;
  /** What was pushed to the machine. */
  readonly pushed: PushedMedia;
}

/**
 * From a fresh Windows Server to one that only lacks a cluster; nothing here waits for a control plane.
 *
 * @param scripts the step scripts on the machine.
 * @param beforeUpgrade runs before containerd or kubelet are installed anew; sees by itself whether they are others.
 */
export function prepareSteps(
  context: StepContext,
  software: WindowsSoftware,
  requirements: HostRequirements,
  setup: NodeSetup,
  scripts: pulumi.Resource,
  beforeUpgrade: pulumi.ResourceHook,
): PreparedMachine {
  const checksum = checksums(context.machine.name, software, context.parent);

  const host = windowsStep(context, "Test-WindowsHost", {
    values: {
      ComputerName: context.machine.name,
      MinimumBuild: requirements.minimumBuild,
      MinimumRevision: requirements.minimumRevision,
      MinimumFreeDiskGiB: requirements.minimumFreeDiskGiB,
      MinimumMemoryMiB: requirements.minimumMemoryMiB,
      PodNetwork: podNetworkName(setup.podNetwork),
    },
    // The first that is made is the last that goes: whatever came after it, also from a run that failed half way.
    undo: resetCommand(context.folderOf("Reset-Node")),
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
    values: pulumi
      .output({
        containerd: checksum(software.containerd),
        crictl: software.crictl === undefined ? "" : checksum(software.crictl),
      })
      .apply((sha256) => containerdValues(software, setup, sha256)),
    beforeUpdate: beforeUpgrade,
    dependsOn: [(proxy ?? reboot).command, ...pushes("containerd", "crictl")],
  });
  const kubernetes = windowsStep(context, "Install-Kubernetes", {
    values: pulumi
      .output({
        kubelet: checksum(software.kubelet),
        kubeadm: checksum(software.kubeadm),
        kubeLogRunner: checksum(software.kubeLogRunner),
      })
      .apply((sha256) => kubernetesValues(software, setup, sha256)),
    beforeUpdate: beforeUpgrade,
    dependsOn: [containerd.command, ...pushes("kubelet", "kubeadm", "kubeLogRunner")],
  });
  // Before Calico makes it at a time of its own.
  const last =
    setup.podNetwork === "calico" ? externalNetwork(context, "External", kubernetes) : kubernetes;
  return { host, containerd, kubernetes, last, pushed };
}

/** Made only where there is a proxy; taking it out of the settings takes it off the machine. */
function proxyStep(
  context: StepContext,
  { http, https, noProxy }: MachineProxy,
  after: WindowsStep,
): WindowsStep {
  return windowsStep(context, "Set-MachineProxy", {
    values: { HttpProxy: http, HttpsProxy: https, NoProxy: noProxy },
    undo: stepCommand(context.folderOf("Set-MachineProxy"), "Set-MachineProxy", {
      HttpProxy: "",
      HttpsProxy: "",
      NoProxy: "",
    }),
    undoSeconds: stepSeconds("Set-MachineProxy", context.timeouts),
    dependsOn: [after.command],
  });
}
