import { existsSync } from "node:fs";
import {
  isNamed,
  locatedLinuxImage,
  type LocatedImage,
} from "../components/linux/cloud-image/located.ts";
import { builtSoFar } from "../toolchain/built.ts";
import { Cache } from "../toolchain/cache.ts";
import { virtualGiBOf } from "../toolchain/disk-format.ts";
import { digestOfFile } from "../toolchain/file-digest.ts";
import type { Settings } from "../config/settings.ts";

/** The disk that Linux machines start from, and the programs they get, as they are on this host. */
export interface LinuxArtifactFacts {
  readonly image:
    | {
        /** Size of the disk that a machine sees, in GiB. */
        readonly virtualGiB: number;
      }
    | Extract<LocatedImage, string>
    | { readonly wrongSha256: string };
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
