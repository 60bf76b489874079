import { builtImage, type ImageSettings } from "../components/windows/image/builder/built-image.ts";
import { builtRehearsalImage, convertedFrom } from "../toolchain/built.ts";
import { diskFormatOf, virtualGiBOf } from "../toolchain/disk-format.ts";
import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";

/** What the disk the machines start from is, or why it is of no use. */
export type ImageFacts =
  | {
      /** Size of the disk that a machine sees, in GiB. */
      readonly virtualGiB: number;
    }
  | "missing"
  | "unreadable"
  | "no disk"
  | "not converted";

/** Looks at the image the settings ask for. */
export async function gatherImage(settings: ImageSettings): Promise<ImageFacts> {
  const { image } = settings.windows;
  switch (image.kind) {
    case "disk":
      return imageAt(image.path);
    case "rehearsal":
      return imageAt(builtRehearsalImage(image)?.path ?? "");
    case "evaluation-iso":
    case "iso":
      return imageAt(builtImage(settings)?.path ?? "");
  }
}

/** Looks at the header of a file, or of what it was converted to. */
async function imageAt(path: string): Promise<ImageFacts> {
  try {
    switch (diskFormatOf(path)) {
      case undefined:
        return "no disk";
      case "VHD":
      case "VHDX": {
        const converted = convertedFrom(path);
        return converted === undefined ? "not converted" : await imageAt(converted.path);
      }
      case "qcow2":
    }
    return { virtualGiB: await virtualGiBOf(path) };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "missing" : "unreadable";
  }
}

/** The disk the machines start from is there, and each machine's own disk has room for it. */
export function checkImage(
  { windows: { image }, nodes }: Settings,
  facts: HostFacts,
): HostProblem[] {
  if (typeof facts.image === "object") {
    return disksTooSmall(nodes, facts.image.virtualGiB, "kindows:windows.diskGiB");
  }
  if (image.kind !== "disk") {
    const rehearsal = image.kind === "rehearsal";
    return [
      {
        subject: rehearsal ? "The rehearsal image" : "The Windows image",
        why: facts.image === "missing" ? "is not built yet" : `is ${facts.image}`,
        instead: rehearsal
          ? "Run `./kindows prepare --stack <name>`."
          : "Run `./kindows image build --stack <name>`.",
      },
    ];
  }
  const another = "Write the path of a qcow2, VHD or VHDX image you may read.";
  const problem = {
    missing: { why: "does not exist", instead: another },
    unreadable: { why: "can't be read", instead: another },
    "no disk": {
      why: "is neither a qcow2 image nor VHD or VHDX",
      instead: "Convert it: qemu-img convert -O qcow2 OLD NEW.",
    },
    "not converted": {
      why: "is not converted yet",
      instead: "Run `./kindows prepare --stack <name>`.",
    },
  }[facts.image];
  return [{ subject: `kindows:windows.image.path: "${image.path}"`, ...problem }];
}

/** An overlay can't be smaller than what it stands on: the machine would lose the end of its disk. */
export function disksTooSmall(
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
