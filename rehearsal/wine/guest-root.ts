import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { RunCommand } from "../../host/command-runner.ts";

/** The Wine prefix, in the guest and during the build. */
export const prefixFolder = "/wine";

/** Starts Windows programs. Debian's package has no `wine` command if only 64-bit Wine is installed. */
export const wineLoader = "/usr/lib/wine/wine64";

/** Loaded into Wine's server, with which sockets of programs in pods are in their pod's network namespace. */
export const podSocketsLibrary = "/usr/lib/wine/pod-sockets.so";

/** Environment of every Wine program, in the guest and during the build. */
export const wineEnvironment = {
  WINEPREFIX: prefixFolder,
  WINEDEBUG: "-all",
  // Performance counters, netsh and PowerShell are this project's, not Wine's.
  WINEDLLOVERRIDES: "pdh,netsh.exe,powershell.exe=n",
  HOME: "/root",
  PATH: "/usr/bin:/bin",
  // Keeps Wine from looking for an X server each time.
  DISPLAY: "",
} as const;

/**
 * Runs a command in the root, in new mount and process namespaces: nothing stays mounted, and all processes it leaves
 * behind (wineserver, Wine's services) end with it, also if it is killed at the time limit.
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
    // A bind mount, because a user namespace can't mount a new sysfs for the host's network.
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
