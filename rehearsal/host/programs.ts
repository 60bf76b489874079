import { join } from "node:path";
import type { Route } from "./state.ts";

/** What a Windows program left behind when it ended. */
export interface ProgramResult {
  /** As `%ERRORLEVEL%` would show it; 0 is success. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class NotAProgram extends Error {
  override readonly name = "NotAProgram";
}

export interface StartOptions {
  /** Folders that stand on the machine's PATH, Windows style. Default: none but Windows' own. */
  readonly path?: readonly string[];
  /** Variables besides Windows' own, as `NAME=value`. Default: none. */
  readonly environment?: readonly string[];
}

export interface RunOptions extends StartOptions {
  /** Written to its standard input, which is then closed; none means empty input. */
  readonly stdin?: string;
  /** Aborted when the program is to be killed. */
  readonly killed?: AbortSignal;
  /** The program is killed after this many seconds, and `run` throws what it wrote. */
  readonly timeoutSeconds: number;
  /** Working folder on C:, Windows style. Default `C:\`. */
  readonly cwd?: string;
  /** What the service manager does where the program asks it to start a service. Default: nothing. */
  readonly startService?: (name: string) => Promise<void>;
}

export interface ServiceOptions extends StartOptions {
  /** File on C:, Windows style, to which stdout and stderr are appended; none means they are dropped. */
  readonly logFile?: string | undefined;
}

export interface HostsEntry {
  readonly address: string;
  readonly names: readonly string[];
}

/**
 * The Windows programs a step behaviour may call, and the machine under them.
 *
 * In the rehearsal guest they are the real executables under Wine; in process, for fast tests, fake ones. Executables
 * and folders are Windows paths (`C:\k\kubeadm.exe`); a program that is not on the drive is an error naming it.
 */
export interface WindowsPrograms {
  /** Folder of the Linux file system that is drive C:. */
  readonly driveC: string;
  /** When the machine last booted; changes with every reboot, steady in between. */
  readonly bootTime: Date;
  /** How far the clock was moved: what Windows says of its boot moves with it. */
  readonly clockOffsetMilliseconds: number;

  readonly memoryMiB: number;
  /** Free space of drive C:, in GiB. */
  freeDiskGiB(): Promise<number>;

  /** Runs an executable to its end. A non-zero exit code is a result, not an error. */
  run(exe: string, args: readonly string[], options: RunOptions): Promise<ProgramResult>;

  /**
   * Starts a long-running program; it outlives the SSH session that asked for it, not a reboot.
   *
   * `exe` and `args` are the working program itself: no `--windows-service`, no kube-log-runner in front (the model has
   * taken them off, because Wine's service manager can't be the parent of a Go service). Starting one that runs is an
   * error. Returns when the process exists, not when it serves.
   */
  startService(
    name: string,
    exe: string,
    args: readonly string[],
    options: ServiceOptions,
  ): Promise<void>;
  /** Ends a service and everything it started; nothing happens when it does not run. */
  stopService(name: string): Promise<void>;
  isServiceRunning(name: string): Promise<boolean>;

  /** What `Test-Path` says of `\\\\.\\pipe\\<name>`, e.g. `containerd-containerd`. */
  isPipeServed(name: string): Promise<boolean>;

  /**
   * Unpacks a tar archive into a folder, both Linux paths, without the first `strip` folders of its names.
   *
   * @returns the paths of what it held, which need not be on the disk yet. @throws with what tar had to say.
   */
  unpack(archive: string, folder: string, strip?: number): Promise<readonly string[]>;

  /** Resolves when all that was written to the drive is on the disk. */
  flush(): Promise<void>;

  /** IPv4 addresses of the machine, that of the loopback too. */
  addresses(): readonly string[];

  /** The same with their prefix lengths, e.g. `192.168.150.10/24`. */
  segments(): readonly string[];

  /** What went wrong, or undefined when it was accepted in time; names are resolved as the machine's programs do. */
  connect(host: string, port: number, timeoutSeconds: number): Promise<string | undefined>;

  /** Time of a server that speaks TLS, whatever its certificate; undefined where it does not tell in `timeoutSeconds`. */
  serverTime(host: string, port: number, timeoutSeconds: number): Promise<Date | undefined>;

  now(): Date;
  setClock(time: Date): Promise<void>;

  /** Makes these names, and no others, resolve for the programs; called after boot and when Windows' hosts file changes. */
  setHostsEntries(entries: readonly HostsEntry[]): Promise<void>;

  /** Makes these routes, and no others, hold for the programs; after boot the machine may have no address yet. */
  setRoutes(routes: readonly Route[]): Promise<void>;

  /**
   * Accepts a reboot in `delaySeconds`, like `shutdown.exe /r /f /t N`, and returns at once; zero means now. Whether it
   * did: one ordered before stands, unless this one is for now.
   */
  reboot(delaySeconds: number): Promise<boolean>;

  /** Calls an ordered reboot off; whether there was one. */
  callOffReboot(): Promise<boolean>;
}

/** Where an archive's entries come to lie, by their names in it. */
export function unpackedPaths(folder: string, names: readonly string[], strip: number): string[] {
  return names.map((name) => join(folder, ...name.split("/").slice(strip)));
}
