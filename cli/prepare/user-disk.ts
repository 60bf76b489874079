import { statSync } from "node:fs";
import path from "node:path";

import { convertedDisk, convertedDiskName } from "../../components/windows/image/converted-disk.ts";
import type { Settings } from "../../config/settings.ts";
import type { Artifact, Progress } from "../../toolchain/artifact.ts";
import { convertedFrom, type BuiltArtifacts } from "../../toolchain/built.ts";
import { Cache } from "../../toolchain/cache.ts";
import { mustBeConverted } from "../../toolchain/disk-format.ts";
import { digestOfFile } from "../../toolchain/file-digest.ts";

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
    artifact: convertedDisk(source, cache),
    record: async (folder) => {
      const { size, mtimeMs } = statSync(source);
      const hash = (await digestOfFile(source, cache)).slice(0, 12);
      return { [source]: { size, mtimeMs, path: path.join(folder, convertedDiskName), hash } };
    },
  };
}
