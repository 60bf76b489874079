import { lstat, mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildCommand } from "../image/build-command.ts";
import { prefixFolder, runInRoot, wineLoader } from "./guest-root.ts";
import { guestRegistry, registryFile } from "./registry.ts";

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

/** Where the guest's Wine keeps its own DLLs and programs. */
const builtins = "/usr/lib/x86_64-linux-gnu/wine/x86_64-windows";

/** DLLs that this Wine lacks or whose own one does not do; sources in dlls/. */
const ownDlls = ["bcryptprimitives", "pdh"];

/** Programs of which Wine has only an empty one, with the folder below system32 they are in; sources in programs/. */
const ownPrograms = [{ name: "powershell", folder: "WindowsPowerShell/v1.0" }];

/** Longest a single Wine program may take while the prefix is made, in seconds; 10 s are usual for the first. */
const wineTimeoutSeconds = 180;

/**
 * Makes the Wine prefix in the guest's root: a drive C: and a registry that look like Windows Server 2022 to the
 * Kubernetes programs.
 *
 * Wine copies its 640 MB of DLLs into a prefix; here they become links to the one copy in `builtins`.
 */
export async function makePrefix(root: string, run: BuildCommand): Promise<void> {
  const prefix = join(root, prefixFolder);
  await mkdir(prefix, { recursive: true });
  // The first program finds no prefix and Wine makes one by the way; until then the program asked for may not be there.
  await runWine(root, run, ["wineboot.exe", "--init"]).catch(() =>
    runWine(root, run, ["wineboot.exe", "--init"]),
  );

  const values = join(prefix, "drive_c/server-2022.reg");
  await writeFile(values, registryFile(guestRegistry));
  await runWine(root, run, ["regedit.exe", "/S", "C:\\server-2022.reg"]);
  await rm(values);

  const system32 = join(prefix, "drive_c/windows/system32");
  await linkBuiltins(root, system32);
  for (const name of ownDlls) {
    const dll = join(system32, `${name}.dll`);
    await rm(dll, { force: true });
    await run("x86_64-w64-mingw32-gcc", [
      ...["-Wall", "-O2", "-s", "-shared", "-o", dll],
      ...[join(import.meta.dirname, "dlls", `${name}.c`), "-ladvapi32"],
    ]);
  }
  for (const { name, folder } of ownPrograms) {
    const program = join(system32, folder, `${name}.exe`);
    await rm(program, { force: true });
    // No console program and without a C runtime: a program's start is dear on an emulated CPU.
    await run("x86_64-w64-mingw32-gcc", [
      ...["-Wall", "-O2", "-s", "-mwindows", "-nostdlib", "-Wl,-e,start", "-o", program],
      ...[
        join(import.meta.dirname, "programs", `${name}.c`),
        "-lkernel32",
        "-ladvapi32",
        "-lntdll",
      ],
    ]);
  }
}

/** One Wine program to its end, and then Wine's server by itself: only then is the registry whole and on disk. */
async function runWine(root: string, run: BuildCommand, command: readonly string[]): Promise<void> {
  const script = '"$@"; code=$?; /usr/lib/wine/wineserver -w; exit $code';
  await runInRoot(
    run,
    root,
    ["/bin/busybox", "sh", "-c", script, "sh", wineLoader, ...command],
    wineTimeoutSeconds,
  );
}

/** Puts a link in the place of each file that is a copy of Wine's own. */
async function linkBuiltins(root: string, folder: string): Promise<void> {
  const own = new Set(await readdir(join(root, builtins)));
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if (!own.has(name) || !(await lstat(file)).isFile()) continue;
    const original = await readFile(join(root, builtins, name));
    if (!original.equals(await readFile(file))) continue;
    await rm(file);
    await symlink(join(builtins, name), file);
  }
}
