import type { HostProblem } from "../../../../config/host-problem.ts";
import type { Cache } from "../../../../toolchain/cache.ts";
import { digestOfFile } from "../../../../toolchain/file-digest.ts";
import type { ImageMedium } from "../media.ts";
import { MediaError } from "../../../machine/disk/media-error.ts";
import { readFailure } from "../read-failure.ts";

/**
 * SHA-256 of each medium by its name: the one it is pinned by, else that of the file. A file of the user's is read once
 * and again when it has changed.
 *
 * @throws MediaError naming every file that can't be read.
 */
export async function mediaDigests(
  media: readonly ImageMedium[],
  cache: Cache,
): Promise<Readonly<Record<string, string>>> {
  const digests: Record<string, string> = {};
  const problems: HostProblem[] = [];
  for (const { name, source } of media) {
    if (source.kind === "download" || source.sha256 !== undefined) {
      digests[name] = source.sha256 ?? "";
      continue;
    }
    try {
      digests[name] = await digestOfFile(source.path, cache);
    } catch (error) {
      problems.push({
        subject: source.path,
        why: readFailure(error),
        instead: "Write the path of a file you may read.",
      });
    }
  }
  if (problems.length > 0) {
    throw new MediaError(problems);
  }
  return digests;
}
