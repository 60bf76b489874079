import path from "node:path";
import type { HostProblem } from "../../../config/host-problem.ts";
import { artifactAddress } from "../../../toolchain/cache.ts";
import type { Cache } from "../../../toolchain/cache.ts";
import { sha256OfFile } from "../../../toolchain/cache-marker.ts";
import { downloadArtifact } from "../download-artifact.ts";
import type { PinnedFile } from "../download-artifact.ts";
import { fileNameOf } from "../media-folder.ts";
import type { ImageMedium } from "./media.ts";
import { unreadable } from "./disc.ts";

/** Paths of the media on this host, and problems of the others. */
export interface LocatedMedia {
  readonly paths: Readonly<Partial<Record<ImageMedium["name"], string>>>;
  readonly problems: readonly HostProblem[];
}

/** The download for a medium; undefined for a user's own file. */
export function pinnedFile({ source }: ImageMedium): PinnedFile | undefined {
  if (source.kind === "file") return undefined;
  const { url: uri, sha256 } = source;
  return { uri, sha256, fileName: fileNameOf({ uri }) };
}

/** Looks for media in the cache and on this host; reads those with a path and a checksum completely. */
export async function locateMedia(
  media: readonly ImageMedium[],
  cache: Cache,
): Promise<LocatedMedia> {
  const paths: Partial<Record<ImageMedium["name"], string>> = {};
  const problems: HostProblem[] = [];
  for (const medium of media) {
    const found = await locate(medium, cache);
    if (typeof found === "string") {
      paths[medium.name] = found;
    } else {
      problems.push(found);
    }
  }
  return { paths, problems };
}

async function locate(medium: ImageMedium, cache: Cache): Promise<string | HostProblem> {
  const pinned = pinnedFile(medium);
  if (pinned !== undefined) {
    const address = await artifactAddress(downloadArtifact(pinned));
    if ((await cache.state(address)).kind !== "complete") {
      return {
        subject: pinned.uri,
        why: "is not in this host's cache",
        instead: "Run `./kindows fetch --stack <name>`.",
      };
    }
    await cache.markUsed(address);
    return path.join(cache.entryFolder(address), pinned.sha256, pinned.fileName);
  }
  const { source } = medium;
  return source.kind === "file" ? compared(source.path, source.sha256) : "";
}

async function compared(file: string, wanted: string | undefined): Promise<string | HostProblem> {
  if (wanted === undefined) return file;
  let actual: string;
  try {
    actual = await sha256OfFile(file);
  } catch (error) {
    return unreadable(file, error);
  }
  return actual === wanted
    ? file
    : {
        subject: file,
        why: `has SHA-256 ${actual}, not ${wanted} as in the settings`,
        instead: "Compare with what its publisher says, and download it again.",
      };
}
