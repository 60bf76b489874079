import { existsSync } from "node:fs";
import { locatedLinuxImage } from "../images/linux/located.ts";
import { type LocatedDisk, locatedDisk } from "../images/disk/located-disk.ts";
import { builtImage, type ImageSettings } from "../images/windows/builder/built-image.ts";
import { builtSoFar } from "../toolchain/built.ts";
import { Cache } from "../toolchain/cache.ts";
import { digestOfFile } from "../toolchain/file-digest.ts";
import { virtualGiBOf } from "../toolchain/disk-format.ts";
import type { Settings } from "../config/settings.ts";
import { stackNeeds } from "./stack-needs.ts";
import type { HostProblem } from "../config/host-problem.ts";
import type { Complaint } from "../config/problem.ts";
import { imageSource } from "../config/image-sources.ts";

/** Facts about the disk image that machines start from, or why it can't be used. */
type ImageFacts = { readonly virtualGiB: number } | Exclude<LocatedDisk, object>;

function imageFacts(disk: LocatedDisk): ImageFacts {
  return typeof disk === "object" ? { virtualGiB: virtualGiBOf(disk.path) } : disk;
}

export function gatherImage(settings: ImageSettings): ImageFacts {
  const { image } = settings.windows;
  const disk = image.kind === "disk" ? image.path : (builtImage(settings)?.path ?? "");
  return imageFacts(locatedDisk(disk));
}

/** Why a disk that the settings name can't be used. */
function unusable(
  disk: Exclude<LocatedDisk, object>,
  { another, noDisk }: { readonly another: string; readonly noDisk: Complaint },
): Complaint {
  const complaints: Readonly<Record<typeof disk, Complaint>> = {
    missing: { why: "does not exist", instead: another },
    unreadable: { why: "can't be read", instead: another },
    "no disk": noDisk,
    unsafe: {
      why: "is cut off, or needs other files or features that are not known here",
      instead: "Make a full copy where it is whole: qemu-img convert -O qcow2 OLD NEW.",
    },
    "not prepared": {
      why: "is not prepared yet",
      instead: "Run `./kindows prepare --stack <name>`.",
    },
  };
  return complaints[disk];
}

const windowsImages = {
  another: "Write the path of a qcow2, VHD or VHDX image that you can read.",
  noDisk: {
    why: "is not a qcow2, VHD or VHDX image",
    instead: "Convert it: qemu-img convert -O qcow2 OLD NEW.",
  },
};

const cloudImages = {
  another: "Write the path of a cloud image that you can read.",
  noDisk: {
    why: "is neither a qcow2, VHD or VHDX image nor a disk with a partition table",
    instead: "Write the path of a cloud image: Debian's end in .qcow2, Ubuntu's in .img.",
  },
};

export function checkImage(
  settings: Settings,
  facts: { readonly image: ImageFacts },
): HostProblem[] {
  const { windowsImage: image } = stackNeeds(settings);
  if (image === undefined) return [];
  const { nodes } = settings;
  if (typeof facts.image === "object") {
    return disksTooSmall(nodes, facts.image.virtualGiB, "kindows:windows.diskGiB");
  }
  if (image.kind === "disk") {
    const subject = `kindows:windows.image.path: "${image.path}"`;
    return [{ subject, ...unusable(facts.image, windowsImages) }];
  }
  const { title, madeBy } = imageSource(settings);
  const why = facts.image === "missing" ? "is not built yet" : `is ${facts.image}`;
  const instead = `Run \`./kindows ${madeBy} --stack <name>\`.`;
  return [{ subject: `The ${title} image`, why, instead }];
}

/** An overlay can't be smaller than its image, because the machine would lose the end of its disk. */
function disksTooSmall(
  nodes: Settings["nodes"],
  virtualGiB: number,
  setting: string,
): HostProblem[] {
  const least = Math.ceil(virtualGiB);
  return nodes
    .filter(({ diskGiB }) => diskGiB < virtualGiB)
    .map(({ name, diskGiB }) => ({
      subject: `The disk of ${name}, ${diskGiB} GiB,`,
      why: `is smaller than its image, ${least} GiB`,
      instead: `Write ${least} or more for ${setting}, or the node's own diskGiB.`,
    }));
}

export interface LinuxArtifactFacts {
  readonly image: ImageFacts | { readonly wrongSha256: string };
  readonly programs: "there" | "missing";
}

/** Examines the prepared programs and the image; undefined if the lab has no Linux machines. */
export async function gatherLinuxArtifacts({
  linux: { image },
  linuxNodes,
}: Pick<Settings, "linux" | "linuxNodes">): Promise<LinuxArtifactFacts | undefined> {
  if (linuxNodes.length === 0) return undefined;
  const { linuxPrograms } = builtSoFar();
  const programs =
    linuxPrograms !== undefined && existsSync(linuxPrograms.path) ? "there" : "missing";
  const located = locatedLinuxImage(image);
  // A downloaded image was compared when it was downloaded.
  if (typeof located === "object" && image.path !== undefined && image.sha256 !== undefined) {
    const actual = await digestOfFile(image.path, new Cache());
    if (actual !== image.sha256) return { image: { wrongSha256: actual }, programs };
  }
  return { image: imageFacts(located), programs };
}

export function checkLinuxArtifacts(
  { linuxNodes, linux }: Pick<Settings, "linuxNodes" | "linux">,
  { linuxArtifacts }: { readonly linuxArtifacts: LinuxArtifactFacts | undefined },
): HostProblem[] {
  if (linuxArtifacts === undefined) return [];
  const { image, programs } = linuxArtifacts;
  const prepare = { why: "are not built yet", instead: "Run `./kindows prepare`." };
  return [
    ...(typeof image === "object" && "virtualGiB" in image
      ? disksTooSmall(linuxNodes, image.virtualGiB, "kindows:linux.diskGiB")
      : [imageProblem(image, linux.image)]),
    ...(programs === "there" ? [] : [{ subject: "The programs of Linux machines", ...prepare }]),
  ];
}

function imageProblem(
  image: Exclude<LinuxArtifactFacts["image"], { virtualGiB: number }>,
  { path, url, sha256 = "" }: Settings["linux"]["image"],
): HostProblem {
  const named = path === undefined ? "" : `kindows:linux.image.path: "${path}"`;
  const published = url === undefined ? "" : `kindows:linux.image.url: "${url}"`;
  const subject = named || published || "The disk of Linux machines";
  if (typeof image === "string") return { subject, ...unusable(image, cloudImages) };
  const why = `has SHA-256 ${image.wrongSha256}, not ${sha256} as in the settings`;
  const instead = "Compare it with the publisher's checksum, and download the file again.";
  return { subject, why, instead };
}
