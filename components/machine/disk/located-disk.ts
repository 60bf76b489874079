import { convertedFrom } from "../../../toolchain/built.ts";
import { type DiskFormat, diskFormatOf, diskIdentity } from "../../../toolchain/disk-format.ts";

/** A disk on this host that machines start from, and its identity; or why there is none. */
export type LocatedDisk =
  | { readonly path: string; readonly hash: string }
  | "missing"
  | "unreadable"
  | "no disk"
  | "not prepared";

/**
 * Finds a disk as `kindows prepare` has left it: a qcow2 is used where it is, another format as it was converted.
 *
 * @param formatOf of a file; undefined for one that is no disk.
 */
export function locatedDisk(
  file: string,
  formatOf: (file: string) => DiskFormat | "raw" | undefined = diskFormatOf,
): LocatedDisk {
  try {
    const format = formatOf(file);
    if (format === undefined) return "no disk";
    return format === "qcow2"
      ? { path: file, hash: diskIdentity(file) ?? "" }
      : (convertedFrom(file) ?? "not prepared");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "missing" : "unreadable";
  }
}
