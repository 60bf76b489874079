import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Folders with the sources of DLLs and programs that Wine lacks. */
const ownFolders = ["dlls", "programs"];

/** The files that decide what `makePrefix` makes, relative to this folder. */
export async function prefixSources(): Promise<string[]> {
  const own = await Promise.all(
    ownFolders.map(async (folder) => {
      const names = await readdir(join(import.meta.dirname, folder));
      return names.sort().map((name) => `${folder}/${name}`);
    }),
  );
  return ["guest-root.ts", "prefix.ts", "registry.ts", ...own.flat()];
}
