import { createHash } from "node:crypto";
import { readFile, readdir, stat } from "node:fs/promises";
import path from "node:path";

/** Hashes contents, and paths relative to `base`, but not times. `include` selects the files of folders. */
export async function hashSources(
  base: string,
  roots: readonly string[],
  include: (file: string) => boolean = () => true,
): Promise<string> {
  const files = new Set<string>();
  for (const root of roots) {
    if ((await stat(root)).isFile()) {
      files.add(root);
      continue;
    }
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.isFile() && include(file)) files.add(file);
    }
  }
  const hash = createHash("sha256");
  for (const file of [...files].sort()) {
    const content = createHash("sha256")
      .update(await readFile(file))
      .digest("hex");
    hash.update(`${path.relative(base, file)}\0${content}\n`);
  }
  return hash.digest("hex");
}
