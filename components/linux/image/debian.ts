import { join } from "node:path";
import { rm } from "node:fs/promises";
import type { Artifact } from "../../../toolchain/artifact.ts";
import { requireRoot } from "../../../toolchain/require-root.ts";
import { hashSources } from "../../../toolchain/tools/sources-hash.ts";
import { commandRunner } from "../../../host/command-runner.ts";

/** Debian release of the machines. */
export const linuxRelease = "bookworm";

/** What a machine boots with and sets itself up by, as Debian's own cloud image has it. */
const cloudImage = [
  "systemd",
  "systemd-sysv",
  "systemd-resolved",
  "udev",
  "dbus",
  "linux-image-cloud-amd64",
  "openssh-server",
  "cloud-init",
  // What cloud-init's Python wants by another name, which debootstrap does not know.
  "python3-cffi-backend",
  "cloud-guest-utils",
  "fdisk",
  "e2fsprogs",
  "procps",
  "iproute2",
  "ca-certificates",
  "curl",
];

/** What kubelet, kubeadm and kube-proxy call, and what containers' images are made of (node-image/container-images.ts). */
const nodePackages = [
  ...["iptables", "nftables", "conntrack", "ethtool", "kmod", "mount", "util-linux"],
  ...["runc", "containernetworking-plugins", "catatonit", "busybox-static"],
];

export const linuxPackages: readonly string[] = [...cloudImage, ...nodePackages];

/**
 * Debian as a Linux machine has it, installed and not started, as `root.tar`: what the machines' disk is made of, and
 * runc, CNI plugins and the insides of container images.
 *
 * Made by debootstrap from its usual mirror, checked against Debian's archive keys; needs root.
 */
export const linuxDebian: Artifact = {
  name: "linux-debian",
  needs: [],
  hostPackages: ["debootstrap"],
  check: () => requireRoot("Debian for Linux machines"),
  inputs: async () => ({
    sources: await hashSources(import.meta.dirname, [join(import.meta.dirname, "debian.ts")]),
  }),
  async build(into, context) {
    const run = commandRunner(context.logFile);
    const root = join(into, "root");
    context.progress(`installs Debian ${linuxRelease} with ${linuxPackages.length} packages`);
    await run("debootstrap", [
      "--variant=minbase",
      `--include=${linuxPackages.join(",")}`,
      linuxRelease,
      root,
    ]);
    await run("tar", [
      ...["--create", "--file", join(into, "root.tar"), "--numeric-owner"],
      ...["--exclude=./var/cache/apt/*", "--exclude=./var/lib/apt/lists/*", "--exclude=./dev/*"],
      ...["--directory", root, "."],
    ]);
    await rm(root, { recursive: true });
  },
};
