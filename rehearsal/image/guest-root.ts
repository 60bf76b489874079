import { chmod, copyFile, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { prefixFolder } from "../wine/guest-root.ts";
import { makePrefix } from "../wine/prefix.ts";
import type { RunCommand } from "../../host/command-runner.ts";

const guestSources = join(import.meta.dirname, "../guest");

/** Scripts of rehearsal/guest that are copied as they are. */
const startScripts = ["boot", "lease", "network", "reboot", "routes", "serve"] as const;

export function driveC(root: string): string {
  return join(root, prefixFolder, "drive_c");
}

/** Makes the guest's root file system in `root`, a folder with unpacked Debian packages. */
export async function makeGuestRoot(root: string, run: RunCommand): Promise<void> {
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
  await linkDrivelessFolders(root);
  await copyNodeRuntime(root, run);
  // Load the bundler only if something is built.
  const { bundleGuestProgram } = await import("./guest-program.ts");
  await bundleGuestProgram(join(root, "opt/kindows"));
}

/**
 * Folders of drive C: that programs also name without the drive, e.g. CNI's plugins /var/lib/cni, and Calico's /opt/cni: Wine
 * takes such a path for Linux' own. Flannel's /run/flannel is linked at each boot (guest/boot), as /run is in memory.
 */
async function linkDrivelessFolders(root: string): Promise<void> {
  for (const folder of ["var/lib", "var/log", "opt/cni"]) {
    await mkdir(join(root, dirname(folder)), { recursive: true });
    await mkdir(join(driveC(root), folder), { recursive: true });
    await rm(join(root, folder), { recursive: true, force: true });
    await symlink(join(prefixFolder, "drive_c", folder), join(root, folder));
  }
  // For `ip netns`.
  await rm(join(root, "var/run"), { recursive: true, force: true });
  await symlink("/run", join(root, "var/run"));
}

/** Removes files that only the build needs. The kernel and its modules are on the boot partition. */
export async function removeBuildFiles(root: string): Promise<void> {
  for (const folder of ["boot", "lib/modules", "usr/x86_64-w64-mingw32", "usr/i686-w64-mingw32"]) {
    await rm(join(root, folder), { recursive: true, force: true });
  }
}

/** Name of the dynamic loader in the guest, whatever it is called on this machine. */
const loaderName = "loader";

/**
 * Copies this process' Node.js with its libraries, so that the guest runs the version the project is tested with,
 * whatever C library that needs. Debian's Node.js 18 is too old for the language target, and official builds start faster
 * because they have a startup snapshot.
 */
async function copyNodeRuntime(root: string, run: RunCommand): Promise<void> {
  const bin = join(root, "opt/node/bin");
  const lib = join(root, "opt/node/lib");
  await mkdir(bin, { recursive: true });
  await mkdir(lib, { recursive: true });
  await copyFile(process.execPath, join(bin, "node"));
  await chmod(join(bin, "node"), 0o755);
  for (const { file, isLoader } of sharedLibraries(await run("ldd", [process.execPath]))) {
    await copyFile(file, join(lib, isLoader ? loaderName : basename(file)));
    await chmod(join(lib, isLoader ? loaderName : basename(file)), 0o755);
  }
}

/** Parses the output of `ldd`: `name => /path (address)`, and the loader as a path without an arrow. */
function sharedLibraries(ldd: string): { file: string; isLoader: boolean }[] {
  const libraries = [];
  for (const line of ldd.split("\n")) {
    const [, name, , found] = /^\s*(\S+)( => (\S+.*?))?( \(0x[0-9a-f]+\))?$/.exec(line) ?? [];
    if (name === undefined || /^linux-(vdso|gate)/.test(name)) continue;
    if (found?.startsWith("not found")) throw new Error(`Node.js needs ${name}: not found here`);
    libraries.push({ file: found ?? name, isLoader: found === undefined });
  }
  if (!libraries.some((each) => each.isLoader)) {
    throw new Error(`ldd names no dynamic loader for Node.js, it printed: ${ldd.trim()}`);
  }
  return libraries;
}
