import { cp, mkdir, readdir, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artifact } from "../../toolchain/artifact.ts";
import { writeBootDisk } from "../../toolchain/boot-disk.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import { commandRunner, type RunCommand } from "../../host/command-runner.ts";
import { linuxDebian } from "./debian.ts";
import { builtDisk } from "./disk-layout.ts";

const bootDiskSource = join(import.meta.dirname, "../../toolchain/boot-disk.ts");

/** Name of the disk in the artifact's folder. */
export const linuxDiskName = "linux.qcow2";

/** Modules in the initramfs: for virtio devices, the CD drive with the identity disk, and the two file systems. */
const bootModules = [
  "virtio_pci",
  "virtio_blk",
  "virtio_net",
  "virtio_scsi",
  "sr_mod",
  "isofs",
  "ext4",
];

/** Periodic jobs that a node does not need. */
const unwantedTimers = [
  ...["apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer"],
  ...["e2scrub_all.timer", "fstrim.timer"],
];

/** Files that each machine generates for itself, or does not need. */
const removed = [
  "etc/ssh/ssh_host_*",
  "var/log/*",
  "usr/share/doc",
  "usr/share/man",
  "usr/share/locale",
];

/**
 * The disk that Linux machines start from, `linux.qcow2`. Like Debian's cloud image, it has cloud-init, which reads the
 * identity disk (NoCloud). It contains nothing of Kubernetes.
 *
 * Built without loop devices and without booting the machine. Needs root.
 */
export const linuxImage: Artifact = {
  name: "linux-image",
  needs: [linuxDebian],
  hostPackages: ["dosfstools", "e2fsprogs", "mtools", "qemu-utils", "syslinux", "syslinux-common"],
  inputs: async () => ({
    sources: await hashSources(import.meta.dirname, [import.meta.dirname]),
    disk: await hashSources(import.meta.dirname, [bootDiskSource]),
  }),
  async build(into, context) {
    const run = commandRunner(context.logFile);
    const [root, work] = [join(into, "root"), join(into, "work")];
    await mkdir(root);
    await mkdir(work);
    await run("tar", [
      ...["--extract", "--numeric-owner", "--file", join(context.path(linuxDebian), "root.tar")],
      ...["--directory", root],
    ]);
    context.progress("sets Debian up for its first boot");
    await setUp(root, run);
    context.progress("writes and compresses the disk");
    const kernel = await only(join(root, "boot"), "vmlinuz-");
    const initramfs = await only(join(root, "boot"), "initrd.img-");
    const files = { image: join(into, linuxDiskName), work };
    await writeBootDisk({ root, kernel, initramfs }, builtDisk, files, run);
    await rm(root, { recursive: true });
    await rm(work, { recursive: true });
  },
};

async function setUp(root: string, run: RunCommand): Promise<void> {
  const files = join(import.meta.dirname, "files");
  await cp(join(files, "cloud.cfg"), join(root, "etc/cloud/cloud.cfg.d/90-kindows.cfg"));
  await cp(join(files, "dhcp.network"), join(root, "etc/systemd/network/80-dhcp.network"));
  await writeFile(join(root, "etc/fstab"), "/dev/vda2 / ext4 noatime,errors=remount-ro 0 1\n");
  await writeFile(join(root, "etc/hostname"), "localhost\n");
  // Each machine generates its own at its first boot.
  await writeFile(join(root, "etc/machine-id"), "");
  // The kubelet passes this file to pods. resolved's stub file would name an address that only the machine itself
  // reaches.
  await unlink(join(root, "etc/resolv.conf")).catch(() => undefined);
  await symlink("/run/systemd/resolve/resolv.conf", join(root, "etc/resolv.conf"));
  await run("chroot", [root, "systemctl", "enable", "systemd-networkd", "systemd-resolved", "ssh"]);
  await run("chroot", [root, "systemctl", "mask", ...unwantedTimers]);
  await writeFile(join(root, "etc/initramfs-tools/conf.d/kindows"), "MODULES=list\n");
  await writeFile(join(root, "etc/initramfs-tools/modules"), `${bootModules.join("\n")}\n`);
  await run("chroot", [root, "update-initramfs", "-u"]);
  await run("sh", ["-c", `cd "$0" && rm -rf ${removed.join(" ")}`, root]);
}

/** @throws unless there is exactly one file with that prefix. */
async function only(folder: string, prefix: string): Promise<string> {
  const found = (await readdir(folder)).filter((name) => name.startsWith(prefix));
  const [first, ...others] = found;
  if (first === undefined || others.length > 0) {
    const names = found.join(", ") || "none";
    throw new Error(`expected exactly one ${prefix}* in ${folder}, found: ${names}`);
  }
  return join(folder, first);
}
