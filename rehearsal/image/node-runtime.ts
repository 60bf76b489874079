import { chmod, copyFile, mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { BuildCommand } from "./build-command.ts";

/** Name of the dynamic loader beside the libraries, whatever it is called on this machine. */
const loaderName = "loader";

/**
 * Copies the Node.js that runs the build into the guest, with its libraries and loader in a folder of their own.
 *
 * So the guest runs the version the project is tested with (Debian's own is 18, which lacks what the language target
 * promises), whatever C library it was built for, and it starts faster: official builds carry a startup snapshot.
 */
export async function copyNodeRuntime(root: string, run: BuildCommand): Promise<void> {
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

/**
 * Reads what `ldd` prints: `name => /path (address)`, and the loader as a path without an arrow.
 *
 * @throws when a library is missing, or no loader is named: then the program could not run in the guest.
 */
export function sharedLibraries(ldd: string): { file: string; isLoader: boolean }[] {
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
