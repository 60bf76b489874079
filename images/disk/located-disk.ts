import { convertedFrom } from "../../toolchain/built.ts";
import {
  type DiskFormat,
  diskFault,
  diskFormatOf,
  diskIdentity,
} from "../../toolchain/disk-format.ts";

/** A disk on this host that machines start from, and a hash that identifies it; or why it cannot be used. */
export type LocatedDisk =
  | { readonly path: string; readonly hash: string }
  | "missing"
  | "unreadable"
  | "no disk"
  | "unsafe"
  | "not prepared";

/**
 * Finds a disk. A qcow2 file is used in place; for other formats, the copy that `kindows prepare` has converted is
 * used.
 *
 * @param formatOf returns the format of a file; undefined if the file is no disk.
 */
export function locatedDisk(
  file: string,
  formatOf: (file: string) => DiskFormat | "raw" | undefined = diskFormatOf,
): LocatedDisk {
  try {
    const format = formatOf(file);
    if (format === undefined) return "no disk";
    if (diskFault(file) !== undefined) return "unsafe";
    return format === "qcow2"
      ? { path: file, hash: diskIdentity(file) ?? "" }
      : (convertedFrom(file) ?? "not prepared");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "missing" : "unreadable";
  }
}
