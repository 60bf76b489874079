import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";

/** Formats of disk images that machines can start from; VHD and VHDX after they were converted. */
export type DiskFormat = "qcow2" | "VHD" | "VHDX";

/** What begins a qcow2 image: https://www.qemu.org/docs/master/interop/qcow2.html#header */
const qcow2Magic = "QFI\xfb";
/** What begins a VHDX, [MS-VHDX] 2.2.1. */
const vhdxMagic = "vhdxfile";
/** What begins the last 512 bytes of a VHD: "Virtual Hard Disk Image Format Specification", hard disk footer. */
const vhdMagic = "conectix";
const vhdFooterBytes = 512;

/**
 * The format of a disk image by its own marks, whatever it is called; undefined for any other file.
 *
 * @throws when it is not there, or can't be read.
 */
export function diskFormatOf(file: string): DiskFormat | undefined {
  const descriptor = openSync(file, "r");
  try {
    const text = (position: number): string => {
      const buffer = Buffer.alloc(8);
      const bytes = readSync(descriptor, buffer, 0, buffer.length, position);
      return buffer.toString("latin1", 0, bytes);
    };
    const beginning = text(0);
    if (beginning.startsWith(qcow2Magic)) {
      return "qcow2";
    }
    if (beginning === vhdxMagic) {
      return "VHDX";
    }
    const { size } = fstatSync(descriptor);
    return size >= vhdFooterBytes && text(size - vhdFooterBytes) === vhdMagic ? "VHD" : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Place and value of what ends a disk's first sector, with or without a GPT; and what an ISO has. */
const bootSignature = { at: 510, bytes: Buffer.from([0x55, 0xaa]) };
const isoMark = { at: 32_769, bytes: Buffer.from("CD001", "latin1") };

/**
 * Whether a file is a disk's content as it is, sector by sector: one with a partition table, as all that machines boot
 * from. An ISO that can be written to a stick has one too, and is none.
 *
 * @throws when it is not there, or can't be read.
 */
export function isRawDisk(file: string): boolean {
  const descriptor = openSync(file, "r");
  try {
    const has = ({ at, bytes }: { readonly at: number; readonly bytes: Buffer }): boolean => {
      const found = Buffer.alloc(bytes.length);
      readSync(descriptor, found, 0, found.length, at);
      return found.equals(bytes);
    };
    return has(bootSignature) && !has(isoMark) && fstatSync(descriptor).size % 512 === 0;
  } finally {
    closeSync(descriptor);
  }
}

/** Size of the disk that a machine sees of a qcow2 image, in GiB, by its header. */
export async function virtualGiBOf(qcow2: string): Promise<number> {
  await using file = await open(qcow2);
  // https://www.qemu.org/docs/master/interop/qcow2.html#header
  const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 24);
  return Number(buffer.readBigUInt64BE()) / 1024 ** 3;
}

/** Whether a file is a disk image that machines can start from only once it is converted; also false if it can't be read. */
export function mustBeConverted(file: string): boolean {
  try {
    const format = diskFormatOf(file);
    return format === "VHD" || format === "VHDX";
  } catch {
    return false;
  }
}
