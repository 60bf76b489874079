import type * as pulumi from "@pulumi/pulumi";
import type { MachineJoin } from "../controlplane/worker-join-config.ts";
import type { Joining } from "../node/joining-machine.ts";
import { renderLabels, renderSorted } from "../node/node-registration.ts";
import { stageTitles, type StepTitle } from "../node/step-title.ts";

/** The archive of a node's programs for Debian (programs/artifact.ts). */
export interface LinuxPrograms {
  /** Absolute path on this host; undefined if it is not built yet, which only a preview accepts. */
  readonly path: string | undefined;
  /** SHA-256 in lower case; a machine that has it already gets no copy. */
  readonly sha256: string;
  /** Version of Kubernetes in it, without a leading `v`. */
  readonly kubernetesVersion: string;
}

/** A machine that becomes a node: the source of the steps' values. */
export interface JoiningLinuxNode extends Joining {
  readonly programs: LinuxPrograms;
}

/** One step of turning a machine into a Linux node. */
export interface LinuxStep {
  /** Name of its script, without `.sh`. */
  readonly name: string;
  /** What the machine does meanwhile, as `up` reports it. */
  readonly title: StepTitle;
  /** Pulumi's time limit in seconds; the script's own limits are shorter. */
  readonly seconds: number;
  readonly values: (node: JoiningLinuxNode) => pulumi.Input<pulumi.Input<string>[]>;
  /** Content of kubeadm's configuration, which is its standard input; secret. */
  readonly joinConfig?: (node: JoiningLinuxNode) => pulumi.Input<{
    readonly [Name in keyof MachineJoin]: pulumi.Input<MachineJoin[Name]>;
  }>;
  /** Whether it needs the archive of programs on the machine. */
  readonly needsPrograms?: true;
  /** Whether it needs the control plane. */
  readonly needsCluster?: true;
  /** Script that undoes it if the machine stays. */
  readonly undo?: string;
}

export const remoteArchive = "/var/lib/kindows-programs.tar.gz";

/** Longest time from the start of a machine until it answers, in seconds. */
export const linuxBootSeconds = 1200;

/** Longest time for a join, in seconds; emulated machines need most of it. */
const joinSeconds = 600;

const prepareHost: LinuxStep = {
  name: "prepare-host",
  title: stageTitles.check,
  seconds: 2 * linuxBootSeconds,
  values: ({ machine }) => [machine.name, String(linuxBootSeconds)],
};

export const installPrograms: LinuxStep = {
  name: "install-programs",
  title: { doing: "unpacks its programs", noun: "unpacking" },
  seconds: 2400,
  needsPrograms: true,
  values: ({ programs }) => [remoteArchive, programs.sha256],
};

export const joinNode: LinuxStep = {
  name: "join-node",
  title: stageTitles.join,
  // Includes resetting what an earlier join left.
  seconds: joinSeconds + 420,
  needsCluster: true,
  values: ({ controlPlane, nodeIp, kubeletArgs }) => [
    controlPlane.caCertHash,
    controlPlane.hostsEntries.apply((entries) =>
      entries.map(({ address, name }) => `${address}=${name}`).join(";"),
    ),
    nodeIp.apply((ip) => kubeletArguments({ ...kubeletArgs, "node-ip": ip })),
    String(joinSeconds),
  ],
  joinConfig: ({ machine, controlPlane, token, labels, taints }) => ({
    name: machine.name,
    endpoint: controlPlane.endpoint,
    caCertHash: controlPlane.caCertHash,
    token,
    nodeLabels: renderLabels(labels),
    taints,
    waitSeconds: joinSeconds,
  }),
  undo: "reset-node",
};

/** The steps from a first boot to a joined node, in order. */
export const linuxSteps: readonly LinuxStep[] = [prepareHost, installPrograms, joinNode];

/**
 * The kubelet's own arguments, sorted by name. kind's configuration of all kubelets puts pods into a cgroup that kind creates
 * in its containers; here they are below the root, as everywhere else.
 */
export function kubeletArguments(args: Readonly<Record<string, string>>): string {
  const own = Object.entries({ ...args, "cgroup-root": "/" });
  return renderSorted(Object.fromEntries(own.map(([name, value]) => [`--${name}`, value])), " ");
}
