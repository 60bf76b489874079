import { existsSync } from "node:fs";
import {
  isNamed,
  type LocatedImage,
  locatedLinuxImage,
} from "../components/linux/cloud-image/located.ts";
import { builtImage, type ImageSettings } from "../components/windows/image/builder/built-image.ts";
import { builtRehearsalImage, builtSoFar, convertedFrom } from "../toolchain/built.ts";
import { Cache } from "../toolchain/cache.ts";
import { digestOfFile } from "../toolchain/file-digest.ts";
import { diskFormatOf, virtualGiBOf } from "../toolchain/disk-format.ts";
import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";

export type ImageFacts = UsableImage | "missing" | "unreadable" | "no disk" | "not converted";

interface UsableImage {
  readonly virtualGiB: number;
}

export async function gatherImage(settings: ImageSettings): Promise<ImageFacts> {
  const { image } = settings.windows;
  if (image.kind === "disk") return imageAt(image.path);
  const built = image.kind === "rehearsal" ? builtRehearsalImage(image) : builtImage(settings);
  return imageAt(built?.path ?? "");
}

async function imageAt(path: string): Promise<ImageFacts> {
  try {
    const format = diskFormatOf(path);
    if (format === undefined) return "no disk";
    if (format === "qcow2") return { virtualGiB: await virtualGiBOf(path) };
    const converted = convertedFrom(path);
    return converted === undefined ? "not converted" : await imageAt(converted.path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "missing" : "unreadable";
  }
}

export function checkImage(
  { windows: { image }, nodes }: Settings,
  facts: HostFacts,
): HostProblem[] {
  if (typeof facts.image === "object") {
    return disksTooSmall(nodes, facts.image.virtualGiB, "kindows:windows.diskGiB");
  }
  if (image.kind !== "disk") {
    const [name, command] =
      image.kind === "rehearsal" ? ["rehearsal", "prepare"] : ["Windows", "image build"];
    const why = facts.image === "missing" ? "is not built yet" : `is ${facts.image}`;
    const instead = `Run \`./kindows ${command} --stack <name>\`.`;
    return [{ subject: `The ${name} image`, why, instead }];
  }
  const another = "Write the path of a qcow2, VHD or VHDX image you may read.";
  const [why, instead] = {
    missing: ["does not exist", another],
    unreadable: ["can't be read", another],
    "no disk": [
      "is neither a qcow2 image nor VHD or VHDX",
      "Convert it: qemu-img convert -O qcow2 OLD NEW.",
    ],
    "not converted": ["is not converted yet", "Run `./kindows prepare --stack <name>`."],
  }[facts.image] as [string, string];
  return [{ subject: `kindows:windows.image.path: "${image.path}"`, why, instead }];
}

/** An overlay can't be smaller than what it stands on: the machine would lose the end of its disk. */
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
  readonly image: UsableImage | Extract<LocatedImage, string> | { readonly wrongSha256: string };
  readonly programs: "there" | "missing";
}

/** Looks at what was prepared last, and at what the settings name; undefined where no node needs it. */
export async function gatherLinuxArtifacts({
  linux: { image },
  linuxNodes,
}: Pick<Settings, "linux" | "linuxNodes">): Promise<LinuxArtifactFacts | undefined> {
  if (linuxNodes.length === 0) return undefined;
  const { linuxPrograms } = builtSoFar();
  const programs =
    linuxPrograms !== undefined && existsSync(linuxPrograms.path) ? "there" : "missing";
  const located = locatedLinuxImage(image);
  if (typeof located === "string") return { image: located, programs };
  // What was downloaded was compared when it came.
  if (isNamed(image) && image.path !== undefined && image.sha256 !== undefined) {
    const actual = await digestOfFile(image.path, new Cache());
    if (actual !== image.sha256) return { image: { wrongSha256: actual }, programs };
  }
  return { image: { virtualGiB: await virtualGiBOf(located.path) }, programs };
}

export function checkLinuxArtifacts(
  { linuxNodes, linux }: Pick<Settings, "linuxNodes" | "linux">,
  { linuxArtifacts }: Pick<HostFacts, "linuxArtifacts">,
): HostProblem[] {
  if (linuxArtifacts === undefined) return [];
  const { image, programs } = linuxArtifacts;
  const prepare = { why: "are not made yet", instead: "Run `./kindows prepare`." };
  return [
    ...(typeof image === "object" && "virtualGiB" in image
      ? disksTooSmall(linuxNodes, image.virtualGiB, "kindows:linux.diskGiB")
      : [imageProblem(image, linux.image)]),
    ...(programs === "there" ? [] : [{ subject: "The programs of Linux machines", ...prepare }]),
  ];
}

function imageProblem(
  image: Exclude<LinuxArtifactFacts["image"], UsableImage>,
  { path, url, sha256 = "" }: Settings["linux"]["image"],
): HostProblem {
  const named = path === undefined ? "" : `kindows:linux.image.path: "${path}"`;
  const published = url === undefined ? "" : `kindows:linux.image.url: "${url}"`;
  const subject = named || published || "The disk of Linux machines";
  if (typeof image === "object") {
    const why = `has SHA-256 ${image.wrongSha256}, not ${sha256} as in the settings`;
    const instead = "Compare with what its publisher says, and download it again.";
    return { subject, why, instead };
  }
  const another = "Write the path of a cloud image you may read.";
  const [why, instead] = {
    missing: ["does not exist", another],
    unreadable: ["can't be read", another],
    "no disk": [
      "is neither a qcow2, VHD or VHDX image nor a disk with a partition table",
      "Write the path of a cloud image: Debian's end in .qcow2, Ubuntu's in .img.",
    ],
    "not prepared": ["is not prepared yet", "Run `./kindows prepare`."],
  }[image] as [string, string];
  return { subject, why, instead };
}
