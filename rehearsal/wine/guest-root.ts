import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { RunCommand } from "../../host/command-runner.ts";

/** Where the Wine prefix lies in the guest; the same while it is made. */
export const prefixFolder = "/wine";

/** Wine's starter; Debian's package has no `wine` command for the 64-bit one alone. */
export const wineLoader = "/usr/lib/wine/wine64";

/** Environment of every Wine program, while the prefix is made and in the guest. */
export const wineEnvironment = {
  WINEPREFIX: prefixFolder,
  WINEDEBUG: "-all",
  // Performance counters and PowerShell: ours, not Wine's.
  WINEDLLOVERRIDES: "pdh,powershell.exe=n",
  HOME: "/root",
  PATH: "/usr/bin:/bin",
  // No screen: without this Wine looks for an X server each time.
  DISPLAY: "",
} as const;

/**
 * In mount and process namespaces of its own: nothing stays mounted, and every process it leaves behind (wineserver,
 * Wine's services) dies with it, also when the limit kills it.
 */
export async function runInRoot(
  run: RunCommand,
  root: string,
  command: readonly string[],
  timeoutSeconds: number,
): Promise<string> {
  for (const folder of ["proc", "sys", "dev", "tmp"]) {
    await mkdir(join(root, folder), { recursive: true });
  }
  const environment = Object.entries(wineEnvironment).map(([name, value]) => `${name}=${value}`);
  const inNamespaces = [
    "mount -t proc proc proc",
    // Not a new one: a user namespace may not mount that for the host's network.
    "mount --rbind /sys sys",
    "mount --rbind /dev dev",
    "mount -t tmpfs tmp tmp",
    'exec chroot . /bin/busybox env -i "$@"',
  ].join(" && ");
  return run(
    "unshare",
    ["--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"].concat(
      ["sh", "-c", `cd "$0" && ${inNamespaces}`, root],
      environment,
      command,
    ),
    { timeoutSeconds },
  );
}
