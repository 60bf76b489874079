import { open, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildCommand } from "./build-command.ts";
import { masterBootRecord } from "./partition-table.ts";

const mib = 1024 ** 2;

/** FAT partition with boot loader, kernel and initramfs. */
const bootPartition = { start: 1 * mib, size: 32 * mib, type: 0x0c, active: true };

/** Size of the disk in GiB. Only what is written takes space; drive C: of a real server would not be smaller. */
export const diskGiB = 16;

const rootStart = bootPartition.start + bootPartition.size;
const rootPartition = {
  start: rootStart,
  size: diskGiB * 1024 ** 3 - rootStart,
  type: 0x83,
  active: false,
};

/** Files of the root file system are few and large; the default would make a million inodes. */
const inodes = 65_536;

/**
 * What the kernel is told. Emulated CPUs pay for every defence against attacks on real ones, and this guest runs nobody's
 * code but Kubernetes' own; messages go to the serial console, which libvirt keeps.
 */
const kernelArguments =
  "console=ttyS0 quiet mitigations=off no_timer_check tsc=reliable random.trust_cpu=on panic=10";

export interface DiskContents {
  /** Folder that becomes the root file system. */
  readonly root: string;
  readonly kernel: string;
  readonly initramfs: string;
}

/**
 * Writes the disk, `image`, in qcow2 form: BIOS boot by syslinux from a FAT partition, root on ext4.
 *
 * Needs neither loop devices nor mounts. `work` is an empty folder for files in between.
 */
export async function writeDisk(
  contents: DiskContents,
  image: string,
  work: string,
  run: BuildCommand,
): Promise<void> {
  const disk = join(work, "disk.raw");
  const bootCode = await readFile("/usr/lib/syslinux/mbr/mbr.bin");
  await writeFile(disk, masterBootRecord(bootCode, [bootPartition, rootPartition]));
  await truncate(disk, diskGiB * 1024 ** 3);

  const boot = join(work, "boot.raw");
  await writeBootPartition(contents, boot, work, run);
  const target = await open(disk, "r+");
  await target.write(await readFile(boot), 0, bootPartition.size, bootPartition.start);
  await target.close();
  await run("syslinux", ["--offset", String(bootPartition.start), "--install", disk]);

  await run("mke2fs", [
    ...["-q", "-t", "ext4", "-m", "0", "-N", String(inodes), "-d", contents.root],
    ...["-E", `offset=${rootPartition.start},lazy_itable_init=1,lazy_journal_init=1,nodiscard`],
    ...[disk, `${rootPartition.size / 1024}k`],
  ]);
  await run("qemu-img", [
    ...["convert", "-f", "raw", "-O", "qcow2", "-c", "-W", "-m", "4"],
    ...["-o", "compression_type=zstd", disk, image],
  ]);
  await rm(disk);
  await rm(boot);
}

async function writeBootPartition(
  contents: DiskContents,
  partition: string,
  work: string,
  run: BuildCommand,
): Promise<void> {
  const settings = join(work, "syslinux.cfg");
  await writeFile(
    settings,
    `DEFAULT guest\nPROMPT 0\nLABEL guest\n KERNEL vmlinuz\n APPEND initrd=initrd ${kernelArguments}\n`,
  );
  await writeFile(partition, "");
  await truncate(partition, bootPartition.size);
  const hiddenSectors = String(bootPartition.start / 512);
  await run("mkfs.vfat", ["-h", hiddenSectors, partition]);
  await run("mcopy", ["-i", partition, contents.kernel, "::vmlinuz"]);
  await run("mcopy", ["-i", partition, contents.initramfs, "::initrd"]);
  await run("mcopy", ["-i", partition, settings, "::syslinux.cfg"]);
}
