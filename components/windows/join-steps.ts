import * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import { renderKubeletArgs, renderLabels, renderTaints, type Taint } from "./node-registration.ts";
import { stepCommand } from "./step-command.ts";
import { resetSeconds, stepSeconds } from "./step-timeouts.ts";
import { windowsStep, type StepContext, type WindowsStep } from "./windows-step.ts";

/** Where containerd serves, as the step Install-Containerd registers it. */
const criSocket = "npipe:////./pipe/containerd-containerd";

/** What a node joins with. */
export interface JoinArgs {
  readonly controlPlane: ControlPlane;
  /** Bootstrap token; secret. */
  readonly token: pulumi.Output<string>;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** By name, without dashes. */
  readonly kubeletArgs: Readonly<Record<string, string>>;
  readonly nodeIp: pulumi.Input<string>;
}

/**
 * From a prepared machine to one whose kubelet has joined; where the machine stays, removing the last step resets it.
 *
 * @param prepared the last step of preparing.
 */
export function joinSteps(
  context: StepContext,
  args: JoinArgs,
  prepared: WindowsStep,
): WindowsStep {
  const { controlPlane, token } = args;
  const { machine, folder, timeouts } = context;

  const hosts = windowsStep(context, "Set-HostsEntry", {
    values: controlPlane.hostsEntries.apply((entries) => ({
      Entry: entries.map(({ address, name }) => `${address}=${name}`).join(";"),
    })),
    undo: stepCommand(folder, "Set-HostsEntry", { Entry: "" }),
    undoSeconds: stepSeconds("Set-HostsEntry", timeouts),
    dependsOn: [prepared.command, controlPlane.resource],
  });
  return windowsStep(context, "Join-Node", {
    values: pulumi.output({
      NodeName: machine.name,
      ApiServerEndpoint: controlPlane.endpoint,
      CriSocket: criSocket,
      NodeIp: args.nodeIp,
      NodeLabels: renderLabels(args.labels),
      NodeTaints: renderTaints(args.taints),
      KubeletArgs: renderKubeletArgs(args.kubeletArgs),
      TimeoutSeconds: timeouts.joinSeconds,
    }),
    stdin: pulumi.secret(
      pulumi
        .all([token, controlPlane.caCertHash])
        .apply(([value, hash]) => JSON.stringify({ token: value, caCertHashes: [hash] })),
    ),
    undo: stepCommand(folder, "Reset-Node", { CriSocket: criSocket, TimeoutSeconds: resetSeconds }),
    undoSeconds: stepSeconds("Reset-Node", timeouts),
    dependsOn: [hosts.command],
  });
}
