import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import type { Artifact } from "../../toolchain/artifact.ts";
import { sha256OfFile } from "../../toolchain/cache-marker.ts";
import { artifactAddress, type Cache } from "../../toolchain/cache.ts";
import { download, WrongContentError } from "../../toolchain/download.ts";
import { fileNameOf } from "./media-folder.ts";

export interface PinnedFile {
  readonly uri: string;
  readonly sha256: string;
}

/**
 * A program for Windows nodes in the cache, in `<sha256>/<file name>` as on the machines. Its cache entry depends only
 * on its content and file name, not on its URL.
 */
export function downloadArtifact({ uri, sha256 }: PinnedFile): Artifact {
  const fileName = fileNameOf({ uri });
  return {
    name: fileName,
    needs: [],
    hostPackages: ["curl"],
    inputs: () => Promise.resolve({ fileName, sha256 }),
    build: async (into, context) => {
      const folder = path.join(into, sha256);
      await mkdir(folder);
      if (uri.startsWith("file:")) {
        const source = fileURLToPath(uri);
        await copyFile(source, path.join(folder, fileName));
        const found = await sha256OfFile(path.join(folder, fileName));
        if (found === sha256) return;
        throw new WrongContentError(`${source} has the SHA-256 ${found}, not ${sha256}`);
      }
      await download({ url: uri, sha256 }, path.join(folder, fileName), context);
    },
  };
}

/** Path of a file in the cache; undefined if it has not been downloaded. */
export async function cachedDownload(file: PinnedFile, cache: Cache): Promise<string | undefined> {
  const address = await artifactAddress(downloadArtifact(file));
  if ((await cache.state(address)).kind !== "complete") return undefined;
  await cache.markUsed(address);
  return path.join(cache.entryFolder(address), file.sha256, fileNameOf(file));
}
