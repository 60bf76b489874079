import { builtImage, type ImageSettings } from "../components/windows/image/builder/built-image.ts";
import { builtRehearsalImage, convertedFrom } from "../toolchain/built.ts";
import { diskFormatOf, virtualGiBOf } from "../toolchain/disk-format.ts";

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
