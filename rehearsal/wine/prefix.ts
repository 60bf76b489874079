import { lstat, mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunCommand } from "../../host/command-runner.ts";
import { prefixFolder, runInRoot, wineLoader } from "./guest-root.ts";
import { guestRegistry } from "./registry.ts";

const asDll = ["-shared", "-ladvapi32"];
/** No console program and without a C runtime: a program's start is dear on an emulated CPU. */
const asProgram = ["-mwindows", "-nostdlib", "-Wl,-e,start", "-lkernel32", "-ladvapi32", "-lntdll"];

/** What this Wine lacks, or has an empty or insufficient one of: sources, files below system32, and how it is compiled. */
const ownFiles = [
  ["dlls/bcryptprimitives.c", "bcryptprimitives.dll", asDll],
  ["dlls/pdh.c", "pdh.dll", asDll],
  ["programs/powershell.c", "WindowsPowerShell/v1.0/powershell.exe", asProgram],
] as const;

/** Where the guest's Wine keeps its own DLLs and programs. */
const builtins = "/usr/lib/x86_64-linux-gnu/wine/x86_64-windows";

/** Longest a single Wine program may take while the prefix is made, in seconds; 10 s are usual for the first. */
const wineTimeoutSeconds = 180;

/** Wine copies its 640 MB of DLLs into a prefix; here they become links to the one copy in `builtins`. */
export async function makePrefix(root: string, run: RunCommand): Promise<void> {
  const prefix = join(root, prefixFolder);
  await mkdir(prefix, { recursive: true });
  // The first program finds no prefix and Wine makes one by the way; until then the program asked for may not be there.
  await runWine(root, run, ["wineboot.exe", "--init"]).catch(() =>
    runWine(root, run, ["wineboot.exe", "--init"]),
  );

  const values = join(prefix, "drive_c/server-2022.reg");
  await writeFile(values, guestRegistry);
  await runWine(root, run, ["regedit.exe", "/S", "C:\\server-2022.reg"]);
  await rm(values);

  const system32 = join(prefix, "drive_c/windows/system32");
  await linkBuiltins(root, system32);
  for (const [source, name, settings] of ownFiles) {
    const file = join(system32, name);
    await rm(file, { force: true });
    const sourceFile = join(import.meta.dirname, source);
    const compiled = ["-Wall", "-O2", "-s", "-o", file, sourceFile, ...settings];
    await run("x86_64-w64-mingw32-gcc", compiled);
  }
}

/** One Wine program to its end, and then Wine's server by itself: only then is the registry whole and on disk. */
async function runWine(root: string, run: RunCommand, command: readonly string[]): Promise<void> {
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
