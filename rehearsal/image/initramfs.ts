import { chmod, copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RunCommand } from "../../host/command-runner.ts";
import { copyModules } from "./kernel-modules.ts";

interface Initramfs {
  /** Path of the script or program that is the first process. */
  readonly init: string;
  /** Kernel modules in load order, which is written to `modules/order`. */
  readonly modules: readonly string[];
  readonly modulesFolder: string;
  /** Paths of other files, by their names in the initramfs. */
  readonly files?: Readonly<Record<string, string>>;
}

export async function writeInitramfs(
  { init, modules, modulesFolder, files = {} }: Initramfs,
  work: string,
  file: string,
  run: RunCommand,
): Promise<void> {
  await rm(work, { recursive: true, force: true });
  for (const folder of ["bin", "dev", "proc", "sys", "root"]) {
    await mkdir(join(work, folder), { recursive: true });
  }
  await copyModules(modules, modulesFolder, join(work, "modules"));
  for (const [name, from] of Object.entries({ ...files, init })) {
    await copyFile(from, join(work, name));
  }
  await chmod(join(work, "init"), 0o755);
  const pack = 'cd "$0" && find . | cpio --quiet --create --format=newc | gzip -1 > "$1"';
  await run("sh", ["-c", pack, work, file]);
}
