import { open, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunCommand } from "../host/command-runner.ts";

const mib = 1024 ** 2;

/** One primary partition of a DOS partition table. Start and size are in bytes and multiples of a sector. */
interface Partition {
  readonly start: number;
  readonly size: number;
  /** Type, e.g. 0x0c for FAT32, 0x83 for Linux. */
  readonly type: number;
}

const sectorSize = 512;

/** The first partition of a disk, which it boots from. */
export function bootPartition(sizeMiB: number): Partition {
  return { start: mib, size: sizeMiB * mib, type: 0x0c };
}

/** What a machine boots from. */
interface DiskContents {
  /** Folder that becomes the root file system. */
  readonly root: string;
  readonly kernel: string;
  readonly initramfs: string;
}

export interface DiskLayout {
  /** Virtual size in GiB; only what is written takes space. */
  readonly diskGiB: number;
  /** Size in MiB of the boot partition, which holds the kernel and the initramfs. */
  readonly bootMiB: number;
  /** Kernel command line, without `initrd=`, which is added. */
  readonly kernelArguments: string;
  /** Inodes of the root file system. Default: what mke2fs chooses for its size. */
  readonly inodes?: number;
}

/**
 * Writes the qcow2 disk `image`, which syslinux boots by BIOS from a FAT partition; its root file system is ext4.
 *
 * Needs neither loop devices nor mounts. `work` is a folder for temporary files.
 */
export async function writeBootDisk(
  { root, kernel, initramfs }: DiskContents,
  { diskGiB, bootMiB, kernelArguments, inodes }: DiskLayout,
  { image, work }: { readonly image: string; readonly work: string },
  run: RunCommand,
): Promise<void> {
  const boot = bootPartition(bootMiB);
  const start = boot.start + boot.size;
  const size = diskGiB * 1024 * mib - start;

  const [disk, fat] = [join(work, "disk.raw"), join(work, "boot.raw")];
  const texts = { "syslinux.cfg": syslinuxSettings("linux", kernelArguments) };
  await writeFat(fat, boot, { texts, files: { vmlinuz: kernel, initrd: initramfs } }, run);
  await writeStartingDisk(disk, fat, [boot, { start, size, type: 0x83 }], run);

  await run("mke2fs", [
    ...["-q", "-t", "ext4", "-m", "0"],
    ...(inodes === undefined ? [] : ["-N", String(inodes)]),
    ...["-d", root],
    ...["-E", `offset=${start},lazy_itable_init=1,lazy_journal_init=1,nodiscard`],
    ...[disk, `${size / 1024}k`],
  ]);
  await run("qemu-img", [
    ...["convert", "-f", "raw", "-O", "qcow2", "-c", "-W", "-m", "4"],
    ...["-o", "compression_type=zstd", disk, image],
  ]);
  await rm(disk);
  await rm(fat);
}

/** A syslinux.cfg that boots `vmlinuz` with `initrd`. */
export function syslinuxSettings(label: string, kernelArguments: string): string {
  return `DEFAULT ${label}\nPROMPT 0\nLABEL ${label}\n KERNEL vmlinuz\n APPEND initrd=initrd ${kernelArguments}\n`;
}

/** Writes a partition's FAT file system. Keys of `texts` and `files` are paths in it. */
export async function writeFat(
  fat: string,
  { start, size }: Partition,
  {
    folders = [],
    texts,
    files,
  }: {
    readonly folders?: readonly string[];
    readonly texts: Readonly<Record<string, string>>;
    readonly files: Readonly<Record<string, string>>;
  },
  run: RunCommand,
): Promise<void> {
  await writeFile(fat, "");
  await truncate(fat, size);
  await run("mkfs.vfat", ["-h", String(start / sectorSize), fat]);
  for (const folder of folders) await run("mmd", ["-i", fat, `::${folder}`]);
  for (const [name, input] of Object.entries(texts)) {
    await run("mcopy", ["-i", fat, "-", `::${name}`], { input });
  }
  for (const [name, file] of Object.entries(files)) {
    await run("mcopy", ["-i", fat, file, `::${name}`]);
  }
}

/** Writes a raw disk. Its first partition is a copy of `fat`, from which syslinux boots; the others stay empty. */
export async function writeStartingDisk(
  disk: string,
  fat: string,
  partitions: readonly [Partition, ...Partition[]],
  run: RunCommand,
): Promise<void> {
  const [{ start, size }] = partitions;
  const bootCode = await readFile("/usr/lib/syslinux/mbr/mbr.bin");
  await writeFile(disk, masterBootRecord(bootCode, partitions));
  await truncate(disk, Math.max(...partitions.map((each) => each.start + each.size)));
  const target = await open(disk, "r+");
  await target.write(await readFile(fat), 0, size, start);
  await target.close();
  await run("syslinux", ["--offset", String(start), "--install", disk]);
}

/**
 * First sector of a disk: the boot code and a table of at most four partitions, of which the first is active.
 *
 * Partitions are addressed by sector number only; the old cylinder fields say "too large" (0xfffffe).
 */
function masterBootRecord(bootCode: Buffer, partitions: readonly Partition[]): Buffer {
  const [tableOffset, entrySize] = [446, 16];
  const sector = Buffer.alloc(sectorSize);
  bootCode.copy(sector, 0, 0, tableOffset);
  partitions.forEach(({ start, size, type }, index) => {
    const entry = sector.subarray(tableOffset + index * entrySize);
    entry.writeUInt8(index === 0 ? 0x80 : 0, 0);
    entry.writeUIntLE(0xfffffe, 1, 3);
    entry.writeUInt8(type, 4);
    entry.writeUIntLE(0xfffffe, 5, 3);
    entry.writeUInt32LE(start / sectorSize, 8);
    entry.writeUInt32LE(size / sectorSize, 12);
  });
  sector.writeUInt16LE(0xaa55, 510);
  return sector;
}
