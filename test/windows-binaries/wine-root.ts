import { spawn } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { execa } from "execa";
import { type StartProgram, processEnvironment } from "../../rehearsal/guest/wine-process.ts";
import { prefixFolder, wineEnvironment, wineLoader } from "../../rehearsal/wine/guest-root.ts";
import { WineClock } from "./wine-clock.ts";

/** A root file system with Wine of a machine's own, mounted in this process's mount namespace. */
export interface WineRoot {
  /** Its drive C:, as a folder of this machine. */
  readonly driveC: string;
  /** Its /etc/hosts, as a file of this machine. */
  readonly hostsFile: string;
  readonly start: StartProgram;
  /** The clock of its programs. */
  readonly clock: WineClock;
}

/** Longest a mount may take, in milliseconds. */
const mountMilliseconds = 10_000;

/**
 * Mounts the artifact's root read-only below `folder`, with a prefix and an /etc of its own, and starts Wine's server.
 *
 * Nothing is unmounted or ended here: both go with the namespaces that `main.ts` runs the tests in.
 */
export async function mountWineRoot(artifact: string, folder: string): Promise<WineRoot> {
  const root = join(folder, "root");
  const prefix = join(folder, "wine");
  const etc = join(folder, "etc");
  await mkdir(root, { recursive: true });
  await cp(join(artifact, prefixFolder), prefix, { recursive: true, verbatimSymlinks: true });
  await cp(join(artifact, "etc"), etc, { recursive: true, verbatimSymlinks: true });
  await writeFile(join(etc, "hosts"), "127.0.0.1 localhost\n");
  await writeFile(join(etc, "resolv.conf"), "");
  const mounts = [
    ["--bind", artifact, root],
    ["-o", "remount,bind,ro", root],
    ["--bind", prefix, join(root, prefixFolder)],
    ["--bind", etc, join(root, "etc")],
    ["-t", "proc", "proc", join(root, "proc")],
    ["--rbind", "/dev", join(root, "dev")],
    // libfaketime leaves something there.
    ["-t", "tmpfs", "shm", join(root, "dev/shm")],
    ["--rbind", "/sys", join(root, "sys")],
    ["-t", "tmpfs", "tmp", join(root, "tmp")],
    // Wine takes /var for Linux' own. kubeadm makes a folder there, though it writes to \\var, which is on drive C:.
    ["-t", "tmpfs", "var", join(root, "var")],
  ];
  for (const mount of mounts) await execa("mount", mount, { timeout: mountMilliseconds });
  const clock = await WineClock.create(prefix);
  // One server for all programs, for good: by itself it ends with its last program.
  await execa("/usr/sbin/chroot", [root, "/usr/lib/wine/wineserver", "-p"], {
    env: { ...wineEnvironment, ...WineClock.serverEnvironment },
    extendEnv: false,
    stdio: "ignore",
    timeout: mountMilliseconds,
  });

  const driveC = join(prefix, "drive_c");
  return {
    driveC,
    hostsFile: join(etc, "hosts"),
    clock,
    start: (exe, args, options) => {
      const cwd = join(prefixFolder, "drive_c", relative(driveC, options.cwd));
      const command = ["/bin/busybox", "sh", "-c", 'cd "$0" && exec "$@"', cwd, wineLoader];
      return spawn("/usr/sbin/chroot", [root, ...command, exe, ...args], {
        env: processEnvironment(options),
        stdio: options.stdio,
        detached: true,
      });
    },
  };
}
