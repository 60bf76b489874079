import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { createHash } from "node:crypto";

export type DiskFormat = "qcow2" | "VHD" | "VHDX";

/** https://www.qemu.org/docs/master/interop/qcow2.html#header */
const qcow2Magic = "QFI\xfb";
/** [MS-VHDX] 2.2.1. */
const vhdxMagic = "vhdxfile";
/** "Virtual Hard Disk Image Format Specification", hard disk footer. */
const vhdMagic = "conectix";
const vhdFooterBytes = 512;

/** By its magic bytes, whatever its name; undefined for any other file. @throws if it is missing or unreadable. */
export function diskFormatOf(file: string): DiskFormat | undefined {
  const descriptor = openSync(file, "r");
  try {
    const text = (position: number): string => {
      const buffer = Buffer.alloc(8);
      const bytes = readSync(descriptor, buffer, 0, buffer.length, position);
      return buffer.toString("latin1", 0, bytes);
    };
    const beginning = text(0);
    if (beginning.startsWith(qcow2Magic)) return "qcow2";
    if (beginning === vhdxMagic) return "VHDX";
    const { size } = fstatSync(descriptor);
    return size >= vhdFooterBytes && text(size - vhdFooterBytes) === vhdMagic ? "VHD" : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Offset and value of the end of a disk's first sector, with or without a GPT; and of an ISO's signature. */
const bootSignature = { at: 510, bytes: Buffer.from([0x55, 0xaa]) };
const isoMark = { at: 32_769, bytes: Buffer.from("CD001", "latin1") };

/** Whether it has a partition table, as everything that machines boot from, and is no hybrid ISO, which has one too. */
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

export async function virtualGiBOf(qcow2: string): Promise<number> {
  await using file = await open(qcow2);
  const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 24);
  return Number(buffer.readBigUInt64BE()) / 1024 ** 3;
}

export function mustBeConverted(file: string): boolean {
  try {
    const format = diskFormatOf(file);
    return format === "VHD" || format === "VHDX";
  } catch {
    return false;
  }
}

/**
 * Identity of a user's disk that is used where it is, 12 digits from path, size and modification time, as hashing gigabytes
 * at each preview is too slow. Undefined if it does not exist.
 */
export function diskIdentity(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined
    ? undefined
    : createHash("sha256")
        .update([path, found.size, found.mtimeMs].join("\n"))
        .digest("hex")
        .slice(0, 12);
}
