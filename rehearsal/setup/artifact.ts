import { chmod, copyFile, mkdir, open, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artifact } from "../../toolchain/artifact.ts";
import { toolArtifact } from "../../toolchain/tools/tool-artifact.ts";
import { buildCommand } from "../image/build-command.ts";
import type { BuildCommand } from "../image/build-command.ts";
import { masterBootRecord } from "../../toolchain/boot-disk/partition-table.ts";
import { sourceHashes } from "../image/source-hashes.ts";
import { debianFiles } from "./debian-files.ts";

/** Names in its folder: of the boot disk, and of the file system on it. */
export const bootDiskName = "boot.img";
export const fileSystemName = "efi.img";

const mib = 1024 ** 2;
const partition = { start: mib, size: 31 * mib, type: 0x0c, active: true };

/** Drivers in the order they are loaded: CDs on SATA, and a disk and a network card of virtio. */
const modules = [
  ...["scsi_common", "scsi_mod", "libata", "libahci", "ahci", "cdrom", "sr_mod", "isofs"],
  ...["virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci"],
  ...["virtio_blk", "failover", "net_failover", "virtio_net"],
];

/** The screen is the console: the serial port is for what the scripts say. */
const kernelArguments = "from=disc console=tty0 quiet mitigations=off no_timer_check panic=10";

/** Debian's kernel with SATA: the rehearsal's own, for clouds, has none, and a machine of Windows Setup has only that. */
const kernel = debianFiles({
  name: "rehearsal-setup-kernel",
  package: "linux-image-amd64",
  needs: /(?<=Depends: )linux-image-\S+/,
  files: ["vmlinuz", ...modules.map((each) => `${each}.ko`)],
});

/** What a UEFI starts: finds kernel and arguments in files beside it. Not installed: that would change a UEFI host. */
const uefiLoader = debianFiles({
  name: "rehearsal-setup-uefi-loader",
  package: "systemd-boot-efi",
  files: ["systemd-bootx64.efi"],
});

const init = toolArtifact({
  name: "rehearsal-setup-init",
  version: "0.1.0",
  go: { module: import.meta.dirname, packages: { init: "." } },
});

/**
 * A disk of 32 MiB that boots into the stand-in for Windows Setup, with a BIOS or UEFI: what the stand-in's disc starts
 * from, and what it installs. Its file system is there by itself as well, for UEFI starts a disc from that.
 */
export const setupBootDisk: Artifact = {
  name: "rehearsal-setup-disk",
  needs: [kernel, uefiLoader, init],
  hostPackages: ["cpio", "dosfstools", "mtools", "syslinux", "syslinux-common"],
  inputs: () => sourceHashes(import.meta.dirname, ["artifact.ts", "debian-files.ts"]),
  async build(into, context) {
    const run = buildCommand(context.logFile);
    const work = join(into, "work");
    await mkdir(work);
    const initramfs = join(work, "initramfs.gz");
    await writeInitramfs(context.path(kernel), context.path(init), initramfs, work, run);
    const contents = {
      kernel: join(context.path(kernel), "vmlinuz"),
      uefiLoader: join(context.path(uefiLoader), "systemd-bootx64.efi"),
      initramfs,
    };
    const fileSystem = join(into, fileSystemName);
    await writeFileSystem(contents, fileSystem, work, run);
    await writeBootDisk(fileSystem, join(into, bootDiskName), run);
    await rm(work, { recursive: true });
  },
};

async function writeInitramfs(
  modulesFolder: string,
  initFolder: string,
  file: string,
  work: string,
  run: BuildCommand,
): Promise<void> {
  const root = join(work, "root");
  await mkdir(join(root, "modules"), { recursive: true });
  await mkdir(join(root, "dev"));
  for (const name of modules) {
    await copyFile(join(modulesFolder, `${name}.ko`), join(root, "modules", `${name}.ko`));
  }
  await writeFile(join(root, "modules/order"), `${modules.join("\n")}\n`);
  await copyFile(join(initFolder, "init"), join(root, "init"));
  await chmod(join(root, "init"), 0o755);
  const pack = 'cd "$0" && find . | cpio --quiet --create --format=newc | gzip -1 > "$1"';
  await run("sh", ["-c", pack, root, file]);
}

interface BootFiles {
  readonly kernel: string;
  readonly uefiLoader: string;
  readonly initramfs: string;
}

/** Both boot loaders, and for each what it is to start. */
async function writeFileSystem(
  contents: BootFiles,
  fat: string,
  work: string,
  run: BuildCommand,
): Promise<void> {
  const texts = {
    "syslinux.cfg": `DEFAULT setup\nPROMPT 0\nLABEL setup\n KERNEL vmlinuz\n APPEND initrd=initrd ${kernelArguments}\n`,
    // Without a second of menu a key that is pressed calls one up, which then waits.
    "loader.conf": "default setup.conf\ntimeout 1\neditor no\n",
    "setup.conf": `title setup\nlinux /vmlinuz\ninitrd /initrd\noptions ${kernelArguments}\n`,
  };
  for (const [name, text] of Object.entries(texts)) {
    await writeFile(join(work, name), text);
  }
  await writeFile(fat, "");
  await truncate(fat, partition.size);
  await run("mkfs.vfat", ["-h", String(partition.start / 512), fat]);
  await run("mmd", ["-i", fat, "::EFI", "::EFI/BOOT", "::loader", "::loader/entries"]);
  for (const [file, name] of [
    [contents.kernel, "vmlinuz"],
    [contents.initramfs, "initrd"],
    [join(work, "syslinux.cfg"), "syslinux.cfg"],
    [contents.uefiLoader, "EFI/BOOT/BOOTX64.EFI"],
    [join(work, "loader.conf"), "loader/loader.conf"],
    [join(work, "setup.conf"), "loader/entries/setup.conf"],
  ] as const) {
    await run("mcopy", ["-i", fat, file, `::${name}`]);
  }
}

async function writeBootDisk(fileSystem: string, disk: string, run: BuildCommand): Promise<void> {
  const bootCode = await readFile("/usr/lib/syslinux/mbr/mbr.bin");
  await writeFile(disk, masterBootRecord(bootCode, [partition]));
  await truncate(disk, partition.start + partition.size);
  const target = await open(disk, "r+");
  await target.write(await readFile(fileSystem), 0, partition.size, partition.start);
  await target.close();
  await run("syslinux", ["--offset", String(partition.start), "--install", disk]);
}
