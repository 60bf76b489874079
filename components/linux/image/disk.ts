import { open, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { masterBootRecord } from "../../../rehearsal/image/partition-table.ts";
import type { RunCommand } from "../../controlplane/node-image/build-command.ts";

const mib = 1024 ** 2;

/** FAT partition with boot loader, kernel and initramfs. */
const bootPartition = { start: 1 * mib, size: 96 * mib, type: 0x0c, active: true };

/** Size of the image's disk in GiB; cloud-init grows the last partition to what the machine's disk has. */
export const imageGiB = 4;

const rootStart = bootPartition.start + bootPartition.size;
const rootPartition = {
  start: rootStart,
  size: imageGiB * 1024 ** 3 - rootStart,
  type: 0x83,
  active: false,
};

/** Messages go to the serial console, where they can be read from outside. */
const kernelArguments = "root=/dev/vda2 rw console=tty0 console=ttyS0 quiet panic=10";

export interface DiskContents {
  /** Folder that becomes the root file system. */
  readonly root: string;
  readonly kernel: string;
  readonly initramfs: string;
}

/**
 * Writes the disk, `image`, in qcow2 form: BIOS boot by syslinux from a FAT partition, root on ext4.
 *
 * Needs neither loop devices nor mounts. `work` is a folder for files in between.
 */
export async function writeLinuxDisk(
  contents: DiskContents,
  image: string,
  work: string,
  run: RunCommand,
): Promise<void> {
  const disk = join(work, "disk.raw");
  const bootCode = await readFile("/usr/lib/syslinux/mbr/mbr.bin");
  await writeFile(disk, masterBootRecord(bootCode, [bootPartition, rootPartition]));
  await truncate(disk, imageGiB * 1024 ** 3);
  await writeBootPartition(contents, disk, work, run);
  await run("mke2fs", [
    ...["-q", "-t", "ext4", "-m", "0", "-d", contents.root],
    ...["-E", `offset=${rootPartition.start},lazy_itable_init=1,lazy_journal_init=1,nodiscard`],
    ...[disk, `${rootPartition.size / 1024}k`],
  ]);
  await run("qemu-img", [
    ...["convert", "-f", "raw", "-O", "qcow2", "-c", "-W", "-m", "4"],
    ...["-o", "compression_type=zstd", disk, image],
  ]);
  await rm(disk);
}

async function writeBootPartition(
  { kernel, initramfs }: DiskContents,
  disk: string,
  work: string,
  run: RunCommand,
): Promise<void> {
  const [partition, settings] = [join(work, "boot.raw"), join(work, "syslinux.cfg")];
  await writeFile(
    settings,
    `DEFAULT linux\nPROMPT 0\nLABEL linux\n KERNEL vmlinuz\n APPEND initrd=initrd ${kernelArguments}\n`,
  );
  await writeFile(partition, "");
  await truncate(partition, bootPartition.size);
  await run("mkfs.vfat", ["-h", String(bootPartition.start / 512), partition]);
  await run("mcopy", ["-i", partition, kernel, "::vmlinuz"]);
  await run("mcopy", ["-i", partition, initramfs, "::initrd"]);
  await run("mcopy", ["-i", partition, settings, "::syslinux.cfg"]);
  const target = await open(disk, "r+");
  await target.write(await readFile(partition), 0, bootPartition.size, bootPartition.start);
  await target.close();
  await run("syslinux", ["--offset", String(bootPartition.start), "--install", disk]);
  await rm(partition);
}
