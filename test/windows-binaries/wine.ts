import { execFile, spawn } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { execa } from "execa";

import { processEnvironment, type StartProgram } from "../../rehearsal/guest/wine-process.ts";
import { endedUnderWine, WinePrograms } from "../../rehearsal/guest/wine-programs.ts";
import {
  type ProgramResult,
  type RunOptions,
  unpackedPaths,
} from "../../rehearsal/machine/programs.ts";
import type { Route } from "../../rehearsal/machine/state.ts";
import { drivelessFolders } from "../../rehearsal/wine/artifact.ts";
import {
  podSocketsLibrary,
  prefixFolder,
  wineEnvironment,
  wineLoader,
} from "../../rehearsal/wine/guest-root.ts";
import { clusterAddress } from "./test-programs.ts";

const hostname = "C:\\windows\\system32\\hostname.exe";

const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
/** Where `ip netns` makes namespaces, and where Wine's server finds them in the root. */
const namespaces = "/run/netns";
const namespacesInRoot = "/tmp/netns";
/** File in the prefix with the clock's offset from this machine's, in seconds. */
const fileName = "clock-offset";
const cacheSeconds = 1;

/**
 * Environment of a Wine server that sets the clock of Go's Windows programs.
 *
 * Go makes no system call for the time: it reads a page of memory that Windows shares with every program and that,
 * under Wine, the server writes. So libfaketime is loaded into the server; in the programs it would have no effect.
 * Durations do not change, just as when a machine's clock is set.
 */
const serverEnvironment = {
  NETWORK_NAMESPACES: namespacesInRoot,
  FAKETIME_TIMESTAMP_FILE: join(prefixFolder, fileName),
  FAKETIME_CACHE_DURATION: String(cacheSeconds),
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
  // Does not change files' times.
  NO_FAKE_STAT: "1",
};

/** Only by the server itself: this host does not have them. */
const preloaded = `${library}:${podSocketsLibrary}`;

function writeOffset(prefix: string, seconds: number): Promise<void> {
  return writeFile(join(prefix, fileName), `${seconds < 0 ? "" : "+"}${seconds}\n`);
}

/** A machine's root file system with Wine, mounted in this process's mount namespace. */
interface WineRoot {
  readonly prefix: string;
  readonly driveC: string;
  readonly hostsFile: string;
  readonly start: StartProgram;
}

const mountMilliseconds = 10_000;

/** File in the prefix with what Wine's server says. */
export const serverLog = "wineserver.log";

/**
 * Mounts the artifact's root read-only below `folder`, with a prefix and an /etc of its own, and starts Wine's server.
 *
 * Nothing is unmounted or stopped here, because that happens when the namespaces of `main.ts` end.
 */
export async function mountWineRoot(artifact: string, folder: string): Promise<WineRoot> {
  const root = join(folder, "root");
  const prefix = join(folder, "wine");
  const etc = join(folder, "etc");
  await mkdir(root, { recursive: true });
  await cp(join(artifact, prefixFolder), prefix, { recursive: true, verbatimSymlinks: true });
  await cp(join(artifact, "etc"), etc, { recursive: true, verbatimSymlinks: true });
  for (const folder of drivelessFolders) {
    await mkdir(join(prefix, "drive_c", folder), { recursive: true });
  }
  await writeFile(join(etc, "hosts"), "127.0.0.1 localhost\n");
  await writeFile(join(etc, "resolv.conf"), "");
  const mounts = [
    ["--bind", artifact, root],
    ["-o", "remount,bind,ro", root],
    ["--bind", prefix, join(root, prefixFolder)],
    ["--bind", etc, join(root, "etc")],
    ["-t", "proc", "proc", join(root, "proc")],
    ["--rbind", "/dev", join(root, "dev")],
    // libfaketime creates files there.
    ["-t", "tmpfs", "shm", join(root, "dev/shm")],
    ["--rbind", "/sys", join(root, "sys")],
    ["-t", "tmpfs", "tmp", join(root, "tmp")],
  ];
  for (const mount of mounts) await execa("mount", mount, { timeout: mountMilliseconds });
  await mkdir(join(root, namespacesInRoot));
  await execa("mount", ["--bind", namespaces, join(root, namespacesInRoot)], {
    timeout: mountMilliseconds,
  });
  await writeOffset(prefix, 0);
  // A persistent server for all programs; otherwise it ends with its last program.
  const command = 'LD_PRELOAD="$0" exec /usr/lib/wine/wineserver -p >"$1" 2>&1';
  const shell = ["/bin/busybox", "sh", "-c", command, preloaded, join(prefixFolder, serverLog)];
  await execa("/usr/sbin/chroot", [root, ...shell], {
    env: { ...wineEnvironment, ...serverEnvironment },
    extendEnv: false,
    stdio: "ignore",
    timeout: mountMilliseconds,
  });

  const driveC = join(prefix, "drive_c");
  return {
    prefix,
    driveC,
    hostsFile: join(etc, "hosts"),
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

/** The Windows programs of a tested machine, as in the guest except for the clock and for retries. */
export class TestWine extends WinePrograms {
  /** Whether the API server's answers have the time; without it, a machine does not set its clock. */
  isTimeTold = true;
  readonly #prefix: string;
  #offsetSeconds = 0;

  constructor({ prefix, driveC, hostsFile, start }: WineRoot) {
    super({
      driveC,
      hostsFile,
      start,
      bootTime: new Date(),
    });
    this.#prefix = prefix;
  }

  override async warmUp(): Promise<void> {
    const options = { timeoutSeconds: 120 };
    const { exitCode, stdout, stderr } = await this.runToEnd(hostname, [], options);
    if (exitCode !== 0) throw new Error(`${hostname} ended with ${exitCode}: ${stdout}${stderr}`);
  }

  /**
   * Starts a program again if it failed without output, because Wine loses about one in some thousand starts. A
   * program that refuses its input prints why, and does so again.
   */
  override async run(
    exe: string,
    args: readonly string[],
    options: RunOptions,
  ): Promise<ProgramResult> {
    const result = await super.run(exe, args, options);
    const { exitCode, stdout, stderr } = result;
    const silent = stdout === "" && stderr === "";
    // What has passed its output on has written some.
    if (exitCode === 0 || options.output || !(silent || stderr.includes(endedUnderWine))) {
      return result;
    }
    process.stderr.write(
      `${exe} failed without output (${stderr || exitCode}): starting it again\n`,
    );
    return super.run(exe, args, options);
  }

  /** This host has tar and no busybox. */
  override async unpack(archive: string, folder: string, strip = 0): Promise<readonly string[]> {
    const args = ["-xvf", archive, "-C", folder, `--strip-components=${strip}`];
    const { stdout } = await promisify(execFile)("tar", args);
    return unpackedPaths(folder, stdout.trimEnd().split("\n"), strip);
  }

  override flush(): Promise<void> {
    return Promise.resolve();
  }

  #routes: readonly Route[] = [];

  override async setRoutes(routes: readonly Route[]): Promise<void> {
    const isIn = (all: readonly Route[], { destination }: Route) =>
      all.some((each) => each.destination === destination);
    const gone = this.#routes.filter((route) => !isIn(routes, route));
    this.#routes = [...routes];
    for (const { destination } of gone) await this.ip("route", "del", destination);
    for (const { destination, nextHop } of routes) {
      await this.ip("route", "replace", destination, "via", nextHop);
    }
  }

  protected override async prepareNetwork(): Promise<void> {
    await writeFile("/proc/sys/net/ipv4/ip_forward", "1");
  }

  protected override async ip(...args: readonly string[]): Promise<void> {
    await promisify(execFile)("ip", args);
  }

  /** Without the cluster's address, which is in the same namespace. */
  override segments(): readonly string[] {
    return super.segments().filter((each) => !each.startsWith(`${clusterAddress}/`));
  }

  override addresses(): readonly string[] {
    return super.addresses().filter((each) => each !== clusterAddress);
  }

  /** The machine is not restarted: a network that comes back calls its rescue off. */
  override reboot(): Promise<boolean> {
    return Promise.resolve(true);
  }

  override callOffReboot(): Promise<boolean> {
    return Promise.resolve(true);
  }

  override now(): Date {
    return new Date(Date.now() + this.#offsetSeconds * 1000);
  }

  /** Sets the clock to the second; returns when the server has applied it. */
  override async setClock(time: Date): Promise<void> {
    this.#offsetSeconds = Math.round((time.getTime() - Date.now()) / 1000);
    await writeOffset(this.#prefix, this.#offsetSeconds);
    await sleep(2 * cacheSeconds * 1000);
  }

  override async serverTime(
    host: string,
    port: number,
    timeoutSeconds: number,
  ): Promise<Date | undefined> {
    return this.isTimeTold ? super.serverTime(host, port, timeoutSeconds) : undefined;
  }
}
