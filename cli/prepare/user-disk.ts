import { convertedDisk, convertedDiskNote } from "../../components/machine/disk/converted-disk.ts";
import { windowsDisk } from "../../components/windows/image/windows-disk.ts";
import type { Settings } from "../../config/settings.ts";
import type { Artifact, Progress } from "../../toolchain/artifact.ts";
import { convertedFrom, type BuiltArtifacts } from "../../toolchain/built.ts";
import { Cache } from "../../toolchain/cache.ts";
import { mustBeConverted } from "../../toolchain/disk-format.ts";

/** A disk of the user's that machines can't start from as it is. */
export interface UserDisk {
  readonly artifact: Artifact;
  /** What is noted of it once it is converted. */
  record(folder: string): Promise<NonNullable<BuiltArtifacts["convertedDisks"]>>;
}

/**
 * The disk that the settings name, where it has to be converted; undefined for every other image, and for a file that
 * is none: the preflight says why.
 */
export function userDisk(
  { windows: { image } }: Pick<Settings, "windows">,
  say: Progress,
  cache = new Cache(),
): UserDisk | undefined {
  if (image.kind !== "disk" || !mustBeConverted(image.path)) {
    return undefined;
  }
  const source = image.path;
  if (convertedFrom(source) === undefined) {
    say(`reads ${source} whole: it is known by its content`);
  }
  return {
    artifact: convertedDisk(source, windowsDisk, cache),
    record: (folder) => convertedDiskNote(source, folder, cache),
  };
}
