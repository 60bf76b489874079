import { existsSync } from "node:fs";
import type { Settings } from "../../config/settings.ts";
import { builtSoFar } from "../../toolchain/built.ts";
import { diskFormatOf, isRawDisk, type DiskFormat } from "../../toolchain/disk-format.ts";
import type { WantedDisk } from "../disk/examine-disk.ts";
import { type LocatedDisk, locatedDisk } from "../disk/located-disk.ts";

type LinuxImageSettings = Settings["linux"]["image"];

/** Whether the settings name an image; otherwise one is built from Debian's packages. */
export function isNamed({ path, url }: LinuxImageSettings): boolean {
  return path !== undefined || url !== undefined;
}

/** The format of a cloud image by its signature; undefined if the file is not a disk. @throws if it cannot be read */
export function cloudImageFormat(file: string): DiskFormat | "raw" | undefined {
  return diskFormatOf(file) ?? (isRawDisk(file) ? "raw" : undefined);
}

/**
 * Finds the disk that machines start from: the one in the settings, or the one that `kindows prepare` downloaded or
 * built.
 */
export function locatedLinuxImage(image: LinuxImageSettings): LocatedDisk {
  if (image.path !== undefined) return locatedDisk(image.path, cloudImageFormat);
  if (!isNamed(image)) {
    const { linuxImage } = builtSoFar();
    return linuxImage !== undefined && existsSync(linuxImage.path) ? linuxImage : "not prepared";
  }
  const { sha256 = "" } = image;
  const file = builtSoFar().cloudImages?.[sha256];
  if (file === undefined || !existsSync(file)) return "not prepared";
  const disk = locatedDisk(file, cloudImageFormat);
  // A download is identified by its content, so that its hash does not depend on the cache's location.
  return typeof disk === "object" ? { ...disk, hash: sha256.slice(0, 12) } : disk;
}

/** Requirements of a cloud image; the smallest ones have 2 GiB. */
export const cloudImageDisk: WantedDisk = {
  formats: ["qcow2", "raw", "vpc", "vhdx"],
  called: "qcow2, raw, VHD or VHDX",
  isNone: "neither qcow2 nor raw, VHD or VHDX",
  minimumGiB: 0.5,
  tooSmall: {
    why: "which is too small for a cloud image of Debian or Ubuntu",
    instead: "Write the path of a complete cloud image; a file system alone is not enough.",
  },
};
