import { closeSync, fstatSync, openSync, readSync } from "node:fs";

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

/** Whether a file is a disk image that machines can start from only once it is converted; also false if it can't be read. */
export function mustBeConverted(file: string): boolean {
  try {
    const format = diskFormatOf(file);
    return format === "VHD" || format === "VHDX";
  } catch {
    return false;
  }
}
