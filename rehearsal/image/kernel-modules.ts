import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

/** Copies kernel modules into a folder, with the file `order` that has their names in load order. */
export async function copyModules(
  names: readonly string[],
  from: string,
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files = await readdir(from, { recursive: true });
  const available = new Map(files.map((path) => [basename(path), join(from, path)]));
  for (const name of names) {
    const module = available.get(`${name}.ko`);
    if (module === undefined) throw new Error(`the kernel has no module ${name}`);
    await copyFile(module, join(folder, `${name}.ko`));
  }
  await writeFile(join(folder, "order"), `${names.join("\n")}\n`);
}
