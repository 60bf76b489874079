import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import type { Artifact } from "../../toolchain/artifact.ts";
import { sha256OfFile } from "../../toolchain/cache-marker.ts";
import { download, WrongContentError } from "../../toolchain/download.ts";

export interface PinnedFile {
  readonly uri: string;
  readonly sha256: string;
  readonly fileName: string;
}

/**
 * A program for Windows nodes in the cache: `<sha256>/<file name>`, as on the machines. Its address in the cache depends on
 * the content alone, not on its URL.
 */
export function downloadArtifact({ uri, sha256, fileName }: PinnedFile): Artifact {
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
