import { chmod, copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { prefixFolder } from "../wine/guest-root.ts";
import { makePrefix } from "../wine/prefix.ts";
import type { BuildCommand } from "./build-command.ts";
import { copyNodeRuntime } from "./node-runtime.ts";

const guestSources = join(import.meta.dirname, "../guest");

/** Programs of the guest's start that are copied as they stand; see rehearsal/guest. */
export const startScripts = ["boot", "lease", "reboot", "routes", "serve"] as const;

/** Folder that is drive C: once the root is made. */
export function driveC(root: string): string {
  return join(root, prefixFolder, "drive_c");
}

/** Makes the guest's root file system in `root`, a folder with the unpacked Debian packages. */
export async function makeGuestRoot(root: string, run: BuildCommand): Promise<void> {
  for (const folder of ["dev", "proc", "sys", "run", "tmp", "root", "etc", "opt/kindows"]) {
    await mkdir(join(root, folder), { recursive: true });
  }
  // Wine names the Windows user, and C:\users\<name>, after the Linux user.
  await writeFile(join(root, "etc/passwd"), "Administrator:x:0:0::/root:/bin/sh\n");
  await writeFile(join(root, "etc/hosts"), "127.0.0.1 localhost\n");
  await writeFile(join(root, "etc/resolv.conf"), "");
  await copyFile(join(guestSources, "inittab"), join(root, "etc/inittab"));
  for (const name of startScripts) {
    await copyFile(join(guestSources, name), join(root, "opt/kindows", name));
    await chmod(join(root, "opt/kindows", name), 0o755);
  }
  await makePrefix(root, run);
  await copyNodeRuntime(root, run);
  // The bundler is only loaded where something is built.
  const { bundleGuestProgram } = await import("./guest-program.ts");
  await bundleGuestProgram(join(root, "opt/kindows"));
}

/** Removes what only the build needed: the kernel and its modules start the guest from elsewhere. */
export async function removeBuildFiles(root: string): Promise<void> {
  for (const folder of ["boot", "lib/modules", "usr/x86_64-w64-mingw32", "usr/i686-w64-mingw32"]) {
    await rm(join(root, folder), { recursive: true, force: true });
  }
}
