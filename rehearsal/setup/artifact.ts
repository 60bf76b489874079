import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Artifact } from "../../toolchain/artifact.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { toolArtifact } from "../../toolchain/tools/tool-artifact.ts";
import { buildCommand } from "../image/build-command.ts";
import { writeInitramfs } from "../image/initramfs.ts";
import {
  bootPartition,
  syslinuxSettings,
  writeFat,
  writeStartingDisk,
} from "../../toolchain/boot-disk.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";

/** Names in the artifact's folder of the boot disk and of the file system on it. */
export const bootDiskName = "boot.img";
export const fileSystemName = "efi.img";

const partition = bootPartition(31);

/** Drivers in load order: for CDs on SATA, and a virtio disk and network card. */
const modules = [
  ...["scsi_common", "scsi_mod", "libata", "libahci", "ahci", "cdrom", "sr_mod", "isofs"],
  ...["virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci"],
  ...["virtio_blk", "failover", "net_failover", "virtio_net"],
];

/** The screen is the console, because the serial port is for the scripts' output. */
const kernelArguments = "from=disc console=tty0 quiet mitigations=off no_timer_check panic=10";

/** Debian's general kernel, which has SATA drivers: Windows Setup's machine needs them, and the cloud kernel has none. */
const kernel = debianFiles(
  "rehearsal-setup-kernel",
  "linux-image-amd64",
  ["vmlinuz", ...modules.map((each) => `${each}.ko`)],
  /(?<=Depends: )linux-image-\S+/,
);

/** The UEFI boot loader. Its package is only unpacked, because installing it would change a UEFI host. */
const uefiLoader = debianFiles("rehearsal-setup-uefi-loader", "systemd-boot-efi", [
  "systemd-bootx64.efi",
]);

const init = toolArtifact({
  name: "rehearsal-setup-init",
  version: "0.1.0",
  go: { module: import.meta.dirname, packages: { init: "." } },
});

/**
 * A disk that boots into the stand-in for Windows Setup, with BIOS or UEFI. The stand-in's disc boots from it, and the
 * stand-in installs it. Its file system is also a separate file, because UEFI boots a disc from that.
 */
export const setupBootDisk: Artifact = {
  name: "rehearsal-setup-disk",
  needs: [kernel, uefiLoader, init],
  hostPackages: ["cpio", "dosfstools", "mtools", "syslinux", "syslinux-common"],
  inputs: async () => ({
    sources: await hashSources(
      projectRoot,
      ["rehearsal/setup/artifact.ts", "rehearsal/image/initramfs.ts", "toolchain/boot-disk.ts"].map(
        (name) => join(projectRoot, name),
      ),
    ),
  }),
  async build(into, context) {
    const run = buildCommand(context.logFile);
    const work = join(into, "work");
    await mkdir(work);
    const initramfs = join(work, "initramfs.gz");
    const modulesFolder = context.path(kernel);
    const first = { init: join(context.path(init), "init"), modules, modulesFolder };
    await writeInitramfs(first, join(work, "root"), initramfs, run);
    const fileSystem = join(into, fileSystemName);
    const folders = ["EFI", "EFI/BOOT", "loader", "loader/entries"];
    const files = {
      vmlinuz: join(context.path(kernel), "vmlinuz"),
      initrd: initramfs,
      "EFI/BOOT/BOOTX64.EFI": join(context.path(uefiLoader), "systemd-bootx64.efi"),
    };
    await writeFat(fileSystem, partition, { folders, texts: loaderSettings, files }, run);
    await writeStartingDisk(join(into, bootDiskName), fileSystem, [partition], run);
    await rm(work, { recursive: true });
  },
};

const loaderSettings = {
  "syslinux.cfg": syslinuxSettings("setup", kernelArguments),
  // Without a timeout, a key that is pressed opens a menu that waits.
  "loader/loader.conf": "default setup.conf\ntimeout 1\neditor no\n",
  "loader/entries/setup.conf": `title setup\nlinux /vmlinuz\ninitrd /initrd\noptions ${kernelArguments}\n`,
};

/**
 * Files of a Debian package, which is downloaded but not installed.
 *
 * @param files File names without folders. `vmlinuz` also matches `vmlinuz-VERSION`.
 * @param needs Matches the real package in the dependencies of `wanted`, if that is a metapackage.
 */
function debianFiles(
  name: string,
  wanted: string,
  files: readonly string[],
  needs?: RegExp,
): Artifact {
  return {
    name,
    needs: [],
    hostPackages: ["dpkg"],
    inputs: () => Promise.resolve({ package: wanted, files: files.join(" ") }),
    async build(into, context) {
      const run = buildCommand(context.logFile);
      const depends = await run("apt-cache", ["depends", wanted]);
      const real = needs === undefined ? wanted : needs.exec(depends)?.[0];
      if (real === undefined) throw new Error(`apt knows no ${wanted}: apt-get update`);
      const work = join(into, "work");
      await mkdir(work);
      context.progress(`downloads ${real}`);
      const download = 'cd "$0" && apt-get -o APT::Sandbox::User=root download "$1"';
      await run("sh", ["-c", download, work, real]);
      const [archive = ""] = (await readdir(work)).filter((each) => each.endsWith(".deb"));
      await run("dpkg-deb", ["--extract", join(work, archive), work]);
      const entries = await readdir(work, { recursive: true, withFileTypes: true });
      for (const file of files) {
        const entry = entries.find(
          (each) => each.isFile() && (each.name === file || each.name.startsWith(`${file}-`)),
        );
        if (entry === undefined) throw new Error(`${real} has no ${file}`);
        await copyFile(join(entry.parentPath, entry.name), join(into, file));
      }
      await rm(work, { recursive: true });
    },
  };
}
