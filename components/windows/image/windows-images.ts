import { runMediaProgram } from "../../machine/disk/media-program.ts";
import { NotAWim } from "./wim-index.ts";
import type { WantedDisk } from "../../machine/disk/examine-disk.ts";

/** A Windows that a WIM file can install. */
export interface WindowsImage {
  /** Number in its file, from 1. */
  readonly index: number;
  readonly name: string;
  /** E.g. `ServerStandardEval`. */
  readonly editionId: string;
  /** `Server Core`, `Server` (with a desktop), or `Client`. */
  readonly installationType: string;
  /** As wimlib calls it: `x86_64`, `ARM64`. */
  readonly architecture: string;
  /** E.g. 20348. */
  readonly build: number;
  /** Its update revision (UBR), e.g. 2762. */
  readonly revision: number;
  readonly languages: readonly string[];
}

const timeoutSeconds = 60;

/**
 * The images of a WIM or ESD file, or of an index of one.
 *
 * @throws NotAWim with wimlib's error if that cannot read it.
 */
export async function readWindowsImages(file: string): Promise<WindowsImage[]> {
  const info = await runMediaProgram("wiminfo", [file], timeoutSeconds);
  if (info.how !== "well") {
    const [words = ""] = info.stderr.trim().split("\n");
    throw new NotAWim(`can't be read by wimlib: ${words.replace(/^\[ERROR\] /, "")}`);
  }
  return parseWimInfo(info.stdout);
}

/** Parses the output of `wiminfo FILE`. Missing values are empty, or 0. */
export function parseWimInfo(text: string): WindowsImage[] {
  const [, images = ""] = text.split(/^Available Images:\n-+$/m);
  return images.split(/\n\n+/).flatMap((block) => {
    const field = (name: string): string =>
      new RegExp(`^${name}:[ \\t]*(.*)$`, "m").exec(block)?.[1]?.trim() ?? "";
    return field("Index") === ""
      ? []
      : [
          {
            index: Number(field("Index")),
            name: field("Name"),
            editionId: field("Edition ID"),
            installationType: field("Installation Type"),
            architecture: field("Architecture"),
            build: Number(field("Build")),
            revision: Number(field("Service Pack Build")),
            languages: field("Languages").split(/\s+/).filter(Boolean),
          },
        ];
  });
}

/** Requirements of a disk with Windows Server; Microsoft requires at least 10 GiB for Core. */
export const windowsDisk: WantedDisk = {
  formats: ["qcow2", "vpc", "vhdx"],
  called: "qcow2, VHD or VHDX",
  isNone: "neither qcow2 nor VHD or VHDX",
  minimumGiB: 10,
  tooSmall: {
    why: "on which no Windows Server fits",
    instead: "Write the path of the disk Windows was installed on.",
  },
};
