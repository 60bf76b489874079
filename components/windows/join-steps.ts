import * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import {
  renderKubeletArgs,
  renderLabels,
  renderTaints,
  type Taint,
} from "../node/node-registration.ts";
import { criSocket } from "./reset-command.ts";
import { windowsStep, type StepContext, type WindowsStep } from "./windows-step.ts";

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
  /** Addresses of the DNS servers that the machine asks; none: those of its adapters. */
  readonly dnsServers: readonly string[];
}

/**
 * From a prepared machine to one whose kubelet has joined. Nothing here is undone by itself: where the machine stays, the
 * first of all steps resets it.
 *
 * @param prepared the last step of preparing.
 */
export function joinSteps(
  context: StepContext,
  args: JoinArgs,
  prepared: WindowsStep,
): WindowsStep {
  const { controlPlane, token } = args;
  const { machine, timeouts } = context;

  const hosts = windowsStep(context, "Set-HostsEntry", {
    values: controlPlane.hostsEntries.apply((entries) => ({
      Entry: entries.map(({ address, name }) => `${address}=${name}`).join(";"),
      DnsServers: args.dnsServers.join(","),
    })),
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
    dependsOn: [hosts.command],
  });
}
