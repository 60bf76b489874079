import * as pulumi from "@pulumi/pulumi";
import type { MachineJoin } from "../controlplane/worker-join-config.ts";
import type { ImageArchive } from "../image-archives/image-archive.ts";
import { type CaCertificate, pemOf } from "../node/ca-certificates.ts";
import type { Joining } from "../node/joining-machine.ts";
import { renderLabels, renderSorted } from "../node/node-registration.ts";
import { registryHosts } from "../node/registry-hosts.ts";
import { stageTitles, type StepTitle } from "../node/step-title.ts";

/** The archive of a node's programs for Debian (programs/artifact.ts). */
export interface LinuxPrograms {
  /** Absolute path on this host; undefined if it is not built yet, which only a preview accepts. */
  readonly path: string | undefined;
  /** SHA-256 of the archive, in lower case. The archive is copied again only if this changes. */
  readonly sha256: string;
  /** Kubernetes version of the programs, without a leading `v`. */
  readonly kubernetesVersion: string;
}

/** A machine that becomes a node, from which the steps take their values. */
export interface JoiningLinuxNode extends Joining {
  readonly programs: LinuxPrograms;
  readonly imageArchives: readonly ImageArchive[];
  readonly certificates: readonly CaCertificate[];
  readonly registry: pulumi.Input<string> | undefined;
}

/** One step of turning a machine into a Linux node. */
export interface LinuxStep {
  /** Name of its script, without `.sh`. */
  readonly name: string;
  /** How `up` reports the step. */
  readonly title: StepTitle;
  /** Pulumi's time limit in seconds; the script's own limits are shorter. */
  readonly seconds: number;
  /** Arguments of the script; undefined if the machine skips the step. */
  readonly values: (node: JoiningLinuxNode) => pulumi.Input<pulumi.Input<string>[]> | undefined;
  /** kubeadm's configuration, which the script gets on standard input; secret. */
  readonly joinConfig?: (node: JoiningLinuxNode) => pulumi.Input<{
    readonly [Name in keyof MachineJoin]: pulumi.Input<MachineJoin[Name]>;
  }>;
  /** Whether it needs the archive of programs on the machine. */
  readonly needsPrograms?: true;
  /** Whether it needs the archives of images on the machine. */
  readonly needsImages?: true;
  /** Whether it needs the control plane. */
  readonly needsCluster?: true;
  /** Name of the script that undoes the step if the machine stays. */
  readonly undo?: string;
}

export const remoteArchive = "/var/lib/kindows-programs.tar.gz";

/** Longest time from the start of a machine until it answers, in seconds. */
export const linuxBootSeconds = 1200;

/** Longest time for a join, in seconds. Emulated machines need most of it. */
const joinSeconds = 600;

const prepareHost: LinuxStep = {
  name: "prepare-host",
  title: stageTitles.check,
  seconds: 2 * linuxBootSeconds,
  values: ({ machine }) => [machine.name, String(linuxBootSeconds)],
};

/** Lines as an argument. */
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const trustCertificates: LinuxStep = {
  name: "trust-certificates",
  title: { doing: "gets its certificates", noun: "certificates" },
  seconds: 1800,
  values: ({ certificates }) =>
    certificates.length === 0 ? undefined : [base64(pemOf(certificates))],
  undo: "trust-certificates",
};

const trustRegistry: LinuxStep = {
  name: "trust-registry",
  title: { doing: "gets the lab's registry", noun: "registry" },
  seconds: 60,
  values: ({ registry }) =>
    registry === undefined
      ? undefined
      : [pulumi.output(registry).apply((address) => base64(registryHosts(address)))],
  undo: "trust-registry",
};

export const installPrograms: LinuxStep = {
  name: "install-programs",
  title: { doing: "unpacks its programs", noun: "unpacking" },
  seconds: 2400,
  needsPrograms: true,
  values: ({ programs }) => [remoteArchive, programs.sha256],
};

/** Path of an archive of images on a machine, until its images are imported. */
export const remoteImages = ({ sha256 }: ImageArchive): string =>
  `/var/lib/kindows-images-${sha256.slice(0, 12)}.tar`;

const importImages: LinuxStep = {
  name: "import-images",
  title: { doing: "gets its images", noun: "images" },
  seconds: 2400,
  needsImages: true,
  values: ({ imageArchives }) =>
    imageArchives.length === 0
      ? undefined
      : imageArchives.flatMap((archive) => [remoteImages(archive), archive.sha256]),
};

export const joinNode: LinuxStep = {
  name: "join-node",
  title: stageTitles.join,
  // Includes the time to reset an earlier join.
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
export const linuxSteps: readonly LinuxStep[] = [
  prepareHost,
  trustCertificates,
  trustRegistry,
  installPrograms,
  importImages,
  joinNode,
];

/**
 * The kubelet's arguments, sorted by name. `cgroup-root` overrides the cluster's kubelet configuration, in which kind
 * names a cgroup that exists only in its own containers.
 */
export function kubeletArguments(args: Readonly<Record<string, string>>): string {
  const own = Object.entries({ ...args, "cgroup-root": "/" });
  return renderSorted(Object.fromEntries(own.map(([name, value]) => [`--${name}`, value])), " ");
}
