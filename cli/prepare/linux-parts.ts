import path from "node:path";
import { linuxDiskName, linuxImage } from "../../images/linux/artifact.ts";
import { linuxDebian } from "../../images/linux/debian.ts";
import { isNamed, locatedLinuxImage } from "../../images/linux/located.ts";
import { linuxPrograms, programsName } from "../../images/linux/programs.ts";
import type { Settings } from "../../config/settings.ts";
import { recordedSha256 } from "../../toolchain/cache-marker.ts";
import { builtDisk } from "./built-disk.ts";
import type { StackPart } from "./stack-part.ts";

const disk: StackPart = {
  artifact: linuxImage,
  note: async (folder) => ({ linuxImage: await builtDisk(folder, linuxDiskName) }),
  largeGiB: [[linuxImage, 2]],
};

const programs: StackPart = {
  artifact: linuxPrograms,
  note: async (folder) => ({
    linuxPrograms: {
      path: path.join(folder, programsName),
      sha256: await recordedSha256(folder, programsName),
    },
  }),
  largeGiB: [[linuxDebian, 2]],
};

/** What is built for Linux machines. */
export function linuxParts(image: Settings["linux"]["image"]): readonly StackPart[] {
  return isNamed(image) ? [programs] : [disk, programs];
}

/** Whether the settings name an image that is not here yet. */
export function lacksCloudImage(image: Settings["linux"]["image"]): boolean {
  return isNamed(image) && locatedLinuxImage(image) === "not prepared";
}
