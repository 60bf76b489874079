import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";

/** Functions of Go's standard library that get another name, so that ours can take theirs. */
const renamed: readonly { readonly file: string; readonly from: string; readonly to: string }[] = [
  {
    file: "net/unixsock_posix.go",
    from: "func (sl *sysListener) listenUnix(",
    to: "func (sl *sysListener) goListenUnix(",
  },
  { file: "syscall/zsyscall_windows.go", from: "func WSAIoctl(", to: "func goWSAIoctl(" },
  { file: "os/file_windows.go", from: "func rename(", to: "func goRename(" },
  { file: "os/file_windows.go", from: "func Remove(", to: "func goRemove(" },
  { file: "os/file_windows.go", from: "func Symlink(", to: "func goSymlink(" },
  { file: "os/file_windows.go", from: "func readlink(", to: "func goReadlink(" },
  { file: "os/stat_windows.go", from: "func lstatNolog(", to: "func goLstatNolog(" },
  ...["semacreate", "semasleep", "semawakeup", "usleep", "preemptM"].map((name) => ({
    file: "runtime/os_windows.go",
    from: `func ${name}(`,
    to: `func go${name.replace(/^./, (first) => first.toUpperCase())}(`,
  })),
];

/** Files that are added to a package of the standard library, or take the place of one of its own. */
const added: readonly { readonly file: string; readonly source: string }[] = [
  {
    file: "internal/syscall/windows/wine_windows.go",
    source: "internal_syscall_windows_wine_windows.go",
  },
  { file: "net/wine_windows.go", source: "net_wine_windows.go" },
  { file: "net/pod_windows.go", source: "net_pod_windows.go" },
  { file: "net/dnsconfig_windows.go", source: "net_dnsconfig_windows.go" },
  { file: "os/wine_windows.go", source: "os_wine_windows.go" },
  { file: "os/sys_windows.go", source: "os_sys_windows.go" },
  { file: "runtime/wine_windows.go", source: "runtime_wine_windows.go" },
  { file: "syscall/wine_windows.go", source: "syscall_wine_windows.go" },
];

const sourceFolder = fileURLToPath(new URL("windows-goroot", import.meta.url));

/** What the overlay is made from besides Go's own files. */
export const windowsGorootOverlaySources = [sourceFolder, fileURLToPath(import.meta.url)];

/**
 * Writes an overlay for `go build -overlay`: Go's standard library for Windows with what Wine 8 and 10 lack
 * (listeners on AF_UNIX sockets, symbolic links, removing whole folders) and what is slow there (waiting), so that kubelet.exe runs there
 * without a changed line of Kubernetes. A program in a pod has the pod's sockets, resolver and name. All programs have the
 * same library, so that what they have in common is compiled once.
 * Only for programs that run in the rehearsal guest.
 *
 * @param parent folder that gets the overlay; the same overlay has the same path, for the compiler's cache.
 * @param env environment of the Go command.
 * @returns path of the overlay's JSON file.
 * @throws when the installed Go's standard library has no such function any more, naming file and function.
 */
export async function writeWindowsGorootOverlay(
  parent: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { stdout: goroot } = await execa("go", ["env", "GOROOT"], { env, timeout: 10_000 });
  const contents = new Map<string, string>();
  for (const { file, from, to } of renamed) {
    const earlier = contents.get(file) ?? (await readFile(path.join(goroot, "src", file), "utf8"));
    contents.set(file, renameFunction(file, earlier, from, to));
  }
  for (const { file, source } of added) {
    contents.set(file, await readFile(path.join(sourceFolder, source), "utf8"));
  }
  const hash = createHash("sha256").update(goroot);
  for (const [file, content] of contents) {
    hash.update(`${file}\0${content}\0`);
  }
  const folder = path.join(parent, `windows-goroot-${hash.digest("hex").slice(0, 16)}`);
  const overlay = path.join(folder, "overlay.json");
  if (await stat(overlay).catch(() => undefined)) {
    return overlay;
  }
  const work = `${folder}.${process.pid}`;
  await mkdir(work, { recursive: true });
  const replace: Record<string, string> = {};
  for (const [file, content] of contents) {
    const name = file.replaceAll("/", "_");
    await writeFile(path.join(work, name), content);
    replace[path.join(goroot, "src", file)] = path.join(folder, name);
  }
  await writeFile(path.join(work, "overlay.json"), JSON.stringify({ Replace: replace }));
  await rename(work, folder).catch(async (error: unknown) => {
    // Another process made the very same one meanwhile.
    await rm(work, { recursive: true, force: true });
    if (!(await stat(overlay).catch(() => undefined))) {
      throw error;
    }
  });
  return overlay;
}

/** @throws unless the function is there exactly once. */
export function renameFunction(file: string, content: string, from: string, to: string): string {
  const parts = content.split(`\n${from}`);
  const [before, after] = parts;
  if (parts.length !== 2 || before === undefined || after === undefined) {
    throw new Error(
      `Go's ${file} has "${from}" ${parts.length - 1} times instead of once: ` +
        `the overlay for Wine does not fit this Go version`,
    );
  }
  return `${before}\n${to}${after}`;
}
