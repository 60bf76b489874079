import {
  appendFile,
  chmod,
  cp,
  mkdir,
  readFile,
  readdir,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import type { Progress } from "../../toolchain/artifact.ts";
import type { RunCommand } from "../../host/command-runner.ts";
import type { ProgramPath } from "./programs.ts";

/** Debian release of the image. */
export const debianRelease = "bookworm";

/**
 * Packages of kind's base image, without those that only its tests and its rootless mode use, and with packages for
 * what kind builds itself.
 */
const debianPackages = [
  "systemd",
  "conntrack",
  "iptables",
  "nftables",
  "iproute2",
  "ethtool",
  "util-linux",
  "mount",
  "kmod",
  "libseccomp2",
  "pigz",
  "procps",
  "jq",
  "curl",
  "ca-certificates",
  "e2fsprogs",
  "runc",
  "containernetworking-plugins",
  // Static programs for the images of pause and the volume helper.
  "catatonit",
  "busybox-static",
] as const;

const cniPlugins = ["host-local", "loopback", "portmap", "ptp"] as const;

/** Programs on a node, by their folder there. */
const programs = {
  "usr/bin": ["kubeadm", "kubelet", "kubectl"],
  "usr/local/bin": ["containerd", "containerd-shim-runc-v2", "ctr"],
} as const;

const manifests = ["default-cni.yaml", "default-storage.yaml"];

/**
 * Creates the root file system of a kind node in the folder `root`, from Debian packages and the given programs. Does
 * the same as kind's `images/base/Dockerfile` and `kind build node-image`.
 */
export async function makeRootFileSystem(
  run: RunCommand,
  root: string,
  {
    kindBase,
    kubernetesVersion,
    program,
  }: {
    /** Folder of kind's base image files (`images/base/files` in its Go module). */
    readonly kindBase: string;
    readonly kubernetesVersion: string;
    readonly program: ProgramPath;
  },
  progress: Progress,
): Promise<void> {
  progress(`installing ${debianPackages.length} Debian packages into a new root file system`);
  await run("debootstrap", [
    "--variant=minbase",
    `--include=${debianPackages.join(",")}`,
    debianRelease,
    root,
  ]);
  await copyKindBase(root, kindBase);
  await trimServices(run, root);
  await mkdir(path.join(root, "etc/kubernetes/manifests"), { recursive: true });
  await mkdir(path.join(root, "opt/cni/bin"), { recursive: true });
  for (const plugin of cniPlugins) {
    await cp(path.join(root, "usr/lib/cni", plugin), path.join(root, "opt/cni/bin", plugin));
  }
  await symlink("/usr/sbin/runc", path.join(root, "usr/local/sbin/runc"));
  for (const [folder, names] of Object.entries(programs)) {
    for (const name of names) {
      await cp(program(name), path.join(root, folder, name));
      await chmod(path.join(root, folder, name), 0o755);
    }
  }
  await writeFile(path.join(root, "kind/version"), `v${kubernetesVersion}`);
  await mkdir(path.join(root, "kind/manifests"), { recursive: true });
  for (const name of manifests) {
    const source = new URL(`files/${name}`, import.meta.url);
    await cp(source, path.join(root, "kind/manifests", name));
  }
  const spec = await run("chroot", [root, "/usr/local/bin/ctr", "oci", "spec"]);
  await writeFile(path.join(root, "etc/containerd/cri-base.json"), containerBaseSpec(spec));
  for (const unneeded of ["usr/lib/cni", "usr/share/doc", "usr/share/man", "usr/share/locale"]) {
    await rm(path.join(root, unneeded), { recursive: true, force: true });
  }
  for (const emptied of ["var/cache/apt", "var/lib/apt/lists", "var/log"]) {
    await rm(path.join(root, emptied), { recursive: true, force: true });
    await mkdir(path.join(root, emptied), { recursive: true });
  }
  // Each node generates its own at its first start.
  await writeFile(path.join(root, "etc/machine-id"), "");
}

/**
 * containerd's default specification with kind's hook, and without resource limits, which a sandbox may not be able to
 * raise.
 */
export function containerBaseSpec(defaultSpec: string): string {
  const spec = JSON.parse(defaultSpec) as {
    hooks?: Record<string, object[]>;
    process: Record<string, unknown>;
  };
  delete spec.process.rlimits;
  spec.hooks = {
    ...spec.hooks,
    createContainer: [
      ...(spec.hooks?.createContainer ?? []),
      { path: "/kind/bin/mount-product-files.sh" },
    ],
  };
  return JSON.stringify(spec);
}

/**
 * Copies kind's files with the modes of kind's Dockerfile: in Go's module cache they are read-only and not executable.
 */
async function copyKindBase(root: string, kindBase: string): Promise<void> {
  for (const entry of await readdir(kindBase, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = path.join(entry.parentPath, entry.name);
    const relative = path.relative(kindBase, source);
    const target = path.join(root, relative);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, await readFile(source));
    await chmod(target, /^(usr\/local\/bin|kind\/bin)\//.test(relative) ? 0o755 : 0o644);
  }
}

/** Disables systemd units that kind does not enable either, among them all that change the host's kernel. */
async function trimServices(run: RunCommand, root: string): Promise<void> {
  for (const [folder, unneeded] of [
    ["lib/systemd/system/multi-user.target.wants", /./],
    ["lib/systemd/system/local-fs.target.wants", /./],
    ["lib/systemd/system/basic.target.wants", /./],
    ["lib/systemd/system/sockets.target.wants", /udev|initctl/],
    ["lib/systemd/system/sysinit.target.wants", /^systemd-tmpfiles-setup\.service$/],
    ["etc/systemd/system", /\.wants$/],
  ] as const) {
    const full = path.join(root, folder);
    const names = await readdir(full).catch(() => []);
    for (const name of names.filter((each) => unneeded.test(each))) {
      await rm(path.join(full, name), { recursive: true });
    }
  }
  // The host's kernel messages would be confusing in a node's journal.
  await appendFile(path.join(root, "etc/systemd/journald.conf"), "ReadKMsg=no\n");
  await rm(path.join(root, "sbin/init"), { force: true });
  await symlink("/usr/lib/systemd/systemd", path.join(root, "sbin/init"));
  const services = ["kubelet.service", "containerd.service", "undo-mount-hacks.service"];
  await run("chroot", [root, "systemctl", "enable", ...services]);
  await run("chroot", [root, "systemctl", "mask", "systemd-binfmt.service"]);
}
