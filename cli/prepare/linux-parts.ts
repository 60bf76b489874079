import path from "node:path";
import { convertedDisk, convertedDiskNote } from "../../images/disk/converted-disk.ts";
import { examineDisk } from "../../images/disk/examine-disk.ts";
import { MediaError } from "../../images/disk/media-program.ts";
import { downloadArtifact } from "../../components/windows/download-artifact.ts";
import { fileNameOf } from "../../components/windows/media-folder.ts";
import { causesOf } from "../../host/failure.ts";
import { linuxDiskName, linuxImage } from "../../images/linux/artifact.ts";
import { linuxDebian } from "../../images/linux/debian.ts";
import {
  cloudImageDisk,
  cloudImageFormat,
  isNamed,
  locatedLinuxImage,
} from "../../images/linux/located.ts";
import { linuxPrograms, programsName } from "../../images/linux/programs.ts";
import type { Settings } from "../../config/settings.ts";
import type { BuiltArtifacts } from "../../toolchain/built.ts";
import { Cache } from "../../toolchain/cache.ts";
import { recordedSha256 } from "../../toolchain/cache-marker.ts";
import { ensureArtifacts, type EnsureOptions } from "../../toolchain/ensure.ts";
import { builtDisk, type StackPart } from "./stack-part.ts";

type LinuxImage = Settings["linux"]["image"];

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
export function linuxParts(image: LinuxImage): readonly StackPart[] {
  return isNamed(image) ? [programs] : [disk, programs];
}

/** Whether the settings name an image that is not here yet. */
export function lacksCloudImage(image: LinuxImage): boolean {
  return isNamed(image) && locatedLinuxImage(image) === "not prepared";
}

/**
 * Downloads, examines and converts the cloud image that the settings name for Linux machines, unless that is already
 * done. A missing or unreadable file is left to the preflight, which reports it with all other problems. Returns what
 * to record about it: nothing if the settings name none.
 */
export async function prepareCloudImage(
  image: LinuxImage,
  options: EnsureOptions,
): Promise<Pick<BuiltArtifacts, "cloudImages" | "convertedDisks">> {
  if (!isNamed(image)) return {};
  const cache = options.cache ?? new Cache();
  const downloaded = await download(image, options);
  const file = image.path ?? downloaded;
  const { sha256 } = image;
  const record = downloaded && sha256 ? { cloudImages: { [sha256]: downloaded } } : {};
  const format = file === undefined ? undefined : readableFormat(file);
  if (file === undefined || format === undefined) return record;
  try {
    await examineDisk(file, cloudImageDisk);
    if (format === "qcow2") return record;
    const artifact = convertedDisk(file, cloudImageDisk, cache);
    const folder = (await ensureArtifacts([artifact], options)).path(artifact);
    return { ...record, convertedDisks: await convertedDiskNote(file, folder, cache) };
  } catch (error) {
    throw [...causesOf(error)].find((each) => each instanceof MediaError) ?? error;
  }
}

async function download(
  { url, sha256 }: LinuxImage,
  options: EnsureOptions,
): Promise<string | undefined> {
  if (url === undefined || sha256 === undefined) return undefined;
  const artifact = downloadArtifact({ uri: url, sha256 });
  const folder = (await ensureArtifacts([artifact], options)).path(artifact);
  return path.join(folder, sha256, fileNameOf({ uri: url }));
}

function readableFormat(file: string): ReturnType<typeof cloudImageFormat> {
  try {
    return cloudImageFormat(file);
  } catch {
    return undefined;
  }
}
