import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Inputs of an artifact: the SHA-256 of each of its source files, by name relative to `folder`. */
export async function sourceHashes(
  folder: string,
  files: readonly string[],
): Promise<Record<string, string>> {
  const hashes = await Promise.all(
    files.map(async (file): Promise<[string, string]> => {
      const content = await readFile(join(folder, file));
      return [file, createHash("sha256").update(content).digest("hex")];
    }),
  );
  return Object.fromEntries(hashes);
}
