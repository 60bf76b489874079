import { join } from "node:path";
import { sha256OfFile } from "../../toolchain/cache-marker.ts";

/** Inputs of an artifact: the SHA-256 of each of its source files, by name relative to `folder`. */
export async function sourceHashes(
  folder: string,
  files: readonly string[],
): Promise<Record<string, string>> {
  const hashes = await Promise.all(
    files.map(async (file) => [file, await sha256OfFile(join(folder, file))] as const),
  );
  return Object.fromEntries(hashes);
}
