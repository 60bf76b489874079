import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { createHash } from "node:crypto";

export type DiskFormat = "qcow2" | "VHD" | "VHDX";

/** https://www.qemu.org/docs/master/interop/qcow2.html#header */
const qcow2Magic = "QFI\xfb";
/** [MS-VHDX] 2.2.1. */
const vhdxMagic = "vhdxfile";
/** "Virtual Hard Disk Image Format Specification", hard disk footer. */
const vhdMagic = "conectix";
const vhdFooterBytes = 512;

function inspect<T>(
  file: string,
  test: (text: (at: number, length: number) => string, size: number) => T,
): T {
  // Opening a pipe would wait for a writer.
  if (!statSync(file).isFile()) throw new Error(`${file} is not a regular file`);
  const descriptor = openSync(file, "r");
  try {
    const text = (at: number, length: number): string => {
      const buffer = Buffer.alloc(length);
      return buffer.toString("latin1", 0, readSync(descriptor, buffer, 0, length, at));
    };
    return test(text, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
}

/** Format of a disk, by magic bytes; undefined for any other file. @throws if the file is missing or unreadable. */
export function diskFormatOf(file: string): DiskFormat | undefined {
  return inspect(file, (text, size) => {
    const beginning = text(0, 8);
    if (beginning.startsWith(qcow2Magic)) return "qcow2";
    if (beginning === vhdxMagic) return "VHDX";
    return size >= vhdFooterBytes && text(size - vhdFooterBytes, 8) === vhdMagic
      ? "VHD"
      : undefined;
  });
}

/** Incompatible features of qcow2 that no other file is needed for: dirty, corrupt, compression, extended L2 entries. */
const knownFeatures = 0b11011n;

export const isOverlay = "is an overlay of another image";

/**
 * What is wrong with a disk before anything opens it as a disk: QEMU would read and write the files that it names, with
 * the rights of whoever runs QEMU. Undefined for a whole disk, and for other formats than qcow2.
 */
export function diskFault(file: string): string | undefined {
  return inspect(file, (text, size) => {
    if (text(0, 4) !== qcow2Magic) return undefined;
    const header = Buffer.from(text(0, 104), "latin1");
    if (header.length < 72) return "is cut off";
    if (header.readBigUInt64BE(8) !== 0n) return isOverlay;
    const features =
      header.readUInt32BE(4) >= 3 && header.length >= 80 ? header.readBigUInt64BE(72) : 0n;
    if ((features & 0b100n) !== 0n) return "has its data in another file";
    if ((features & ~knownFeatures) !== 0n) return "uses features of qcow2 that are not known here";
    const clusterBits = header.readUInt32BE(20);
    if (clusterBits < 9 || clusterBits > 21) return "has a header that makes no sense";
    const end = (at: number, length: bigint): bigint => header.readBigUInt64BE(at) + length;
    const tables = [
      end(40, BigInt(header.readUInt32BE(36)) * 8n),
      end(48, BigInt(header.readUInt32BE(56)) << BigInt(clusterBits)),
    ];
    return tables.some((each) => each > BigInt(size)) ? "is cut off" : undefined;
  });
}

/** Whether a file has a partition table, like every boot disk, and is not a hybrid ISO, which has one too. */
export function isRawDisk(file: string): boolean {
  // The boot signature ends the first sector, with or without a GPT; CD001 is the signature of ISO 9660.
  return inspect(
    file,
    (text, size) => text(510, 2) === "\x55\xaa" && text(32_769, 5) !== "CD001" && size % 512 === 0,
  );
}

/** Size of the disk that a machine sees. @throws if the file is missing, unreadable, or too short. */
export function virtualGiBOf(qcow2: string): number {
  return inspect(qcow2, (text) => {
    const size = Buffer.from(text(24, 8), "latin1");
    if (size.length < 8) throw new Error(`${qcow2} is cut off`);
    return Number(size.readBigUInt64BE()) / 1024 ** 3;
  });
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
 * 12 hex digits from path, size and time: hashing gigabytes at each preview is too slow. Undefined if it is missing.
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
