import { open, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunCommand } from "../../host/command-runner.ts";
import { masterBootRecord } from "./partition-table.ts";

const mib = 1024 * 1024;

/** What a machine boots from. */
export interface DiskContents {
  /** Folder that becomes the root file system. */
  readonly root: string;
  readonly kernel: string;
  readonly initramfs: string;
}

/** How the disk is laid out. */
export interface DiskLayout {
  /** Size in GiB; only what is written takes space. */
  readonly diskGiB: number;
  /** Size of the partition with the kernel and its first file system, in MiB. */
  readonly bootMiB: number;
  /** What the kernel is told, beside where its first file system is. */
  readonly kernelArguments: string;
  /** Inodes of the root file system; mke2fs' own number for its size if not given. */
  readonly inodes?: number;
}

/**
 * Writes a disk, `image`, in qcow2 form: BIOS boot by syslinux from a FAT partition, root on ext4.
 *
 * Needs neither loop devices nor mounts. `work` is a folder for files in between.
 */
export async function writeBootDisk(
  { root, kernel, initramfs }: DiskContents,
  { diskGiB, bootMiB, kernelArguments, inodes }: DiskLayout,
  { image, work }: { readonly image: string; readonly work: string },
  run: RunCommand,
): Promise<void> {
  const bootPartition = { start: mib, size: bootMiB * mib, type: 0x0c, active: true };
  const rootStart = bootPartition.start + bootPartition.size;
  const rootSize = diskGiB * 1024 * mib - rootStart;
  const rootPartition = { start: rootStart, size: rootSize, type: 0x83, active: false };

  const disk = join(work, "disk.raw");
  const bootCode = await readFile("/usr/lib/syslinux/mbr/mbr.bin");
  await writeFile(disk, masterBootRecord(bootCode, [bootPartition, rootPartition]));
  await truncate(disk, diskGiB * 1024 * mib);

  const partition = join(work, "boot.raw");
  const settings = join(work, "syslinux.cfg");
  await writeFile(
    settings,
    `DEFAULT linux\nPROMPT 0\nLABEL linux\n KERNEL vmlinuz\n APPEND initrd=initrd ${kernelArguments}\n`,
  );
  await writeFile(partition, "");
  await truncate(partition, bootPartition.size);
  const hiddenSectors = String(bootPartition.start / 512);
  await run("mkfs.vfat", ["-h", hiddenSectors, partition]);
  await run("mcopy", ["-i", partition, kernel, "::vmlinuz"]);
  await run("mcopy", ["-i", partition, initramfs, "::initrd"]);
  await run("mcopy", ["-i", partition, settings, "::syslinux.cfg"]);
  const target = await open(disk, "r+");
  await target.write(await readFile(partition), 0, bootPartition.size, bootPartition.start);
  await target.close();
  await run("syslinux", ["--offset", String(bootPartition.start), "--install", disk]);

  await run("mke2fs", [
    ...["-q", "-t", "ext4", "-m", "0"],
    ...(inodes === undefined ? [] : ["-N", String(inodes)]),
    ...["-d", root],
    ...["-E", `offset=${rootStart},lazy_itable_init=1,lazy_journal_init=1,nodiscard`],
    ...[disk, `${rootSize / 1024}k`],
  ]);
  await run("qemu-img", [
    ...["convert", "-f", "raw", "-O", "qcow2", "-c", "-W", "-m", "4"],
    ...["-o", "compression_type=zstd", disk, image],
  ]);
  await rm(disk);
  await rm(partition);
}
