import type * as pulumi from "@pulumi/pulumi";
import type { MachineJoin } from "../controlplane/worker-join-config.ts";
import type { JoiningMachine } from "../node/joining-machine.ts";
import { renderLabels } from "../node/node-registration.ts";
import { stageTitles, type StepTitle } from "../node/step-title.ts";

/** The archive with what makes a Debian machine a node (programs/artifact.ts). */
export interface LinuxPrograms {
  /** Absolute path on this host; undefined while it is not made, which only a preview takes. */
  readonly path: string | undefined;
  /** SHA-256 in lower case; what the machine has by that is not copied again. */
  readonly sha256: string;
  /** Version of Kubernetes in it, without a leading `v`. */
  readonly kubernetesVersion: string;
}

/** A machine on its way to a node: what the values of steps are made of. */
export interface JoiningLinuxNode extends Required<Omit<JoiningMachine, "podNetwork" | "nodeIp">> {
  readonly nodeIp: pulumi.Output<string>;
  readonly programs: LinuxPrograms;
}

/** One step of a machine's way to a Linux node. */
export interface LinuxStep {
  /** Name of its script, without `.sh`. */
  readonly name: string;
  /** What the machine does meanwhile, as `up` tells it. */
  readonly title: StepTitle;
  /** Seconds after which Pulumi gives it up; the script ends earlier by its own limits. */
  readonly seconds: number;
  /** What the script is called with. */
  readonly values: (node: JoiningLinuxNode) => pulumi.Input<pulumi.Input<string>[]>;
  /** What is in kubeadm's configuration, which is its standard input; it is kept secret. */
  readonly joinConfig?: (node: JoiningLinuxNode) => pulumi.Input<{
    readonly [Name in keyof MachineJoin]: pulumi.Input<MachineJoin[Name]>;
  }>;
  /** Whether the archive of programs must be on the machine before. */
  readonly needsPrograms?: true;
  /** Whether the control plane must be there before. */
  readonly needsCluster?: true;
  /** Script that undoes it where the machine stays. */
  readonly undo?: string;
}

/** Where the archive lies on a machine until it is installed. */
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
  // Besides the join: a reset of what an earlier one left.
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

/** The way from a first boot to a node that has joined, in its order. */
export const linuxSteps: readonly LinuxStep[] = [prepareHost, installPrograms, joinNode];

/**
 * The kubelet's own arguments, in the order of their names. kind's configuration of all kubelets has them live in a
 * cgroup that kind makes in its containers; here all pods are below the root, as everywhere else.
 */
export function kubeletArguments(args: Readonly<Record<string, string>>): string {
  return Object.entries({ ...args, "cgroup-root": "/" })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `--${name}=${value}`)
    .join(" ");
}
