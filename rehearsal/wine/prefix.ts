import { lstat, mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunCommand } from "../../host/command-runner.ts";
import { podSocketsLibrary, prefixFolder, runInRoot, wineLoader } from "./guest-root.ts";
import { hnsPort } from "./hns-port.ts";
import { powerShellPort } from "./powershell-port.ts";
import { guestRegistry } from "./registry.ts";

const asDll = ["-shared", "-ladvapi32"];
const asHns = ["-shared", `-DHNS_PORT=${hnsPort}`, "-lole32", "-lws2_32"];
/** Without console and C runtime, because starting a program is expensive on an emulated CPU. */
const asProgram = [
  ...["-mwindows", "-nostdlib", "-Wl,-e,start", `-DHOST_PORT=${powerShellPort}`],
  ...["-lkernel32", "-ladvapi32", "-lntdll"],
];

/** Files that this Wine lacks or has only stubs of: source, path below system32, and compiler arguments. */
const ownFiles = [
  ["dlls/hns.c", "computenetwork.dll", asHns],
  ["dlls/hns.c", "vmcompute.dll", asHns],
  ["dlls/bcryptprimitives.c", "bcryptprimitives.dll", asDll],
  ["dlls/pdh.c", "pdh.dll", asDll],
  ["programs/powershell.c", "WindowsPowerShell/v1.0/powershell.exe", asProgram],
  ["programs/powershell.c", "netsh.exe", asProgram],
] as const;

/** The folder of Wine's own DLLs and programs. */
const builtins = "/usr/lib/x86_64-linux-gnu/wine/x86_64-windows";

/** Time limit for each Wine program that makes the prefix. The first usually takes 10 s. */
const wineTimeoutSeconds = 180;

/** Makes a Wine prefix. Wine copies its 640 MB of DLLs into it; these are replaced by links to `builtins`. */
export async function makePrefix(root: string, run: RunCommand): Promise<void> {
  const prefix = join(root, prefixFolder);
  await mkdir(prefix, { recursive: true });
  // Wine makes the prefix when its first program starts, which can fail because that program does not exist yet.
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
  const library = join(root, podSocketsLibrary);
  const source = join(import.meta.dirname, "server/pod-sockets.c");
  await run("gcc", ["-Wall", "-O2", "-s", "-shared", "-fPIC", "-nostdlib", "-o", library, source]);
}

/** Runs a Wine program, then waits for Wine's server to end: only then is the whole registry on disk. */
async function runWine(root: string, run: RunCommand, command: readonly string[]): Promise<void> {
  const script = '"$@"; code=$?; /usr/lib/wine/wineserver -w; exit $code';
  await runInRoot(
    run,
    root,
    ["/bin/busybox", "sh", "-c", script, "sh", wineLoader, ...command],
    wineTimeoutSeconds,
  );
}

/** Replaces each file that is a copy of Wine's own by a link. */
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
