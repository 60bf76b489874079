import { join } from "node:path";
import { rm } from "node:fs/promises";
import type { Artifact } from "../../toolchain/artifact.ts";
import { requireRoot } from "../../toolchain/require-root.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import { commandRunner } from "../../host/command-runner.ts";

/** Debian release of the machines. */
const release = "bookworm";

/** Packages that a machine boots and sets itself up with, as in Debian's own cloud image. */
const cloudImage = [
  "systemd",
  "systemd-sysv",
  "systemd-resolved",
  "udev",
  "dbus",
  "linux-image-cloud-amd64",
  "openssh-server",
  "cloud-init",
  // cloud-init depends on it under a virtual name, which debootstrap cannot resolve.
  "python3-cffi-backend",
  "cloud-guest-utils",
  "fdisk",
  "e2fsprogs",
  "procps",
  "iproute2",
  "ca-certificates",
  "curl",
];

/**
 * Packages whose programs kubelet, kubeadm and kube-proxy call, or container images contain
 * (node-image/container-images.ts).
 */
const nodePackages = [
  ...["iptables", "nftables", "conntrack", "ethtool", "kmod", "mount", "util-linux"],
  ...["runc", "containernetworking-plugins", "catatonit", "busybox-static"],
];

const packages: readonly string[] = [...cloudImage, ...nodePackages];

/**
 * Root file system of a Linux machine with Debian, as `root.tar`. It becomes the machines' disk, and is the source of
 * runc, the CNI plugins and the Debian programs in container images.
 *
 * Installed by debootstrap from its default mirror, checked against Debian's archive keys. Needs root.
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
    context.progress(`installs Debian ${release} with ${packages.length} packages`);
    await run("debootstrap", [
      "--variant=minbase",
      `--include=${packages.join(",")}`,
      release,
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
