import { existsSync } from "node:fs";
import type { Settings } from "../../../config/settings.ts";
import { builtSoFar, convertedFrom } from "../../../toolchain/built.ts";
import {
  diskFormatOf,
  isRawDisk,
  type DiskFormat,
  diskIdentity,
} from "../../../toolchain/disk-format.ts";
import type { WantedDisk } from "../../machine/disk/examine-disk.ts";

export type LinuxImageSettings = Settings["linux"]["image"];

/** The disk on this host and its identity; or why there is none. */
export type LocatedImage =
  | { readonly path: string; readonly hash: string }
  | "missing"
  | "unreadable"
  | "no disk"
  | "not prepared";

/** Whether the settings name an image; otherwise one is built from Debian's packages. */
export function isNamed({ path, url }: LinuxImageSettings): boolean {
  return path !== undefined || url !== undefined;
}

/** The file in the settings; undefined for one that `kindows prepare` has to download or build. */
export function namedCloudImage({ path, url, sha256 }: LinuxImageSettings): string | undefined {
  return path ?? (url === undefined ? undefined : builtSoFar().cloudImages?.[sha256 ?? ""]);
}

/** The format of a cloud image by its signature; undefined for a file that is no disk. @throws as reading it does. */
export function cloudImageFormat(file: string): DiskFormat | "raw" | undefined {
  return diskFormatOf(file) ?? (isRawDisk(file) ? "raw" : undefined);
}

/** Finds the disk that machines start from, as `kindows prepare` has left it; a qcow2 is used where it is. */
export function locatedLinuxImage(image: LinuxImageSettings): LocatedImage {
  if (!isNamed(image)) {
    const { linuxImage } = builtSoFar();
    return linuxImage !== undefined && existsSync(linuxImage.path) ? linuxImage : "not prepared";
  }
  const file = namedCloudImage(image);
  if (file === undefined || (image.path === undefined && !existsSync(file))) return "not prepared";
  try {
    switch (cloudImageFormat(file)) {
      case undefined:
        return "no disk";
      case "qcow2": {
        // A download is identified by its content, wherever the cache is.
        const known = image.path === undefined ? image.sha256?.slice(0, 12) : undefined;
        return { path: file, hash: known ?? diskIdentity(file) ?? "" };
      }
      case "raw":
      case "VHD":
      case "VHDX":
        return convertedFrom(file) ?? "not prepared";
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "missing" : "unreadable";
  }
}

/** Requirements of a cloud image; the smallest ones have 2 GiB. */
export const cloudImageDisk: WantedDisk = {
  formats: ["qcow2", "raw", "vpc", "vhdx"],
  called: "qcow2, raw, VHD or VHDX",
  isNone: "neither qcow2 nor raw, VHD or VHDX",
  minimumGiB: 0.5,
  tooSmall: {
    why: "on which no cloud image of Debian or Ubuntu fits",
    instead: "Write the path of a whole cloud image; a file system alone is none.",
  },
};
