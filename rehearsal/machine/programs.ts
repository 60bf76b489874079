import { join } from "node:path";
import type { ProgramOutput } from "../powershell/host.ts";
import type { Route } from "./state.ts";

/** The result of a Windows program. */
export interface ProgramResult {
  /** `%ERRORLEVEL%`: 0 is success. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class NotAProgram extends Error {
  override readonly name = "NotAProgram";
}

export interface StartOptions {
  /** Windows paths of folders on the machine's PATH besides Windows' own. Default: none. */
  readonly path?: readonly string[];
  /** Variables besides Windows' own, as `NAME=value`. Default: none. */
  readonly environment?: readonly string[];
}

export interface RunOptions extends StartOptions {
  /** Written to its standard input, which is then closed. Default: empty. */
  readonly stdin?: string;
  /** Kills the program when aborted. */
  readonly killed?: AbortSignal;
  /** After this many seconds the program is killed and `run` throws an error with its output. */
  readonly timeoutSeconds: number;
  /** Working folder, as a Windows path. Default: `C:\`. */
  readonly cwd?: string;
  /** Takes its output as it comes, which is then not in the result. Default: the result has all. */
  readonly output?: ProgramOutput | undefined;
  /** Called when the program asks the service manager to start a service. Default: does nothing. */
  readonly startService?: (name: string) => Promise<void>;
}

export interface ServiceOptions extends StartOptions {
  /** Windows path of the file to which stdout and stderr are appended. Default: they are dropped. */
  readonly logFile?: string | undefined;
  /** Makes the network in HNS that the program makes, if it makes one: only programs that are not the real ones call this. */
  readonly makePodNetwork?: () => Promise<void>;
}

export interface HostsEntry {
  readonly address: string;
  readonly names: readonly string[];
}

/** A part of the machine's network: commands of iproute2's `ip` and `bridge` and of `nft`, in their order. */
export interface LinuxPiece {
  /** Says in commands' place which piece it is. */
  readonly name: string;
  readonly make: readonly string[];
  /** Run before what it was made after is removed. */
  readonly remove: readonly string[];
}

/**
 * The Windows programs that scripts call, and the machine under them.
 *
 * In the rehearsal guest they are the real executables under Wine, in fast tests fakes in the test's process. Executables
 * and folders are Windows paths (`C:\k\kubeadm.exe`). A program that is not on the drive is an error that names it.
 */
export interface WindowsPrograms {
  /** The Linux folder that is drive C:. */
  readonly driveC: string;
  /** When the machine last booted. Constant until the next reboot. */
  readonly bootTime: Date;
  /** How far the clock was moved since the boot. Windows' LastBootUpTime moves by as much. */
  readonly clockOffsetMilliseconds: number;

  readonly memoryMiB: number;
  /** Free space of drive C:, in GiB. */
  freeDiskGiB(): Promise<number>;

  /** Runs an executable until it ends. A non-zero exit code is a result, not an error. */
  run(exe: string, args: readonly string[], options: RunOptions): Promise<ProgramResult>;

  /**
   * Starts a long-running program, which outlives the SSH session but not a reboot.
   *
   * `exe` and `args` are the program itself, without `--windows-service` and kube-log-runner: the model removes these,
   * because Wine's service manager can't be the parent of a Go service. Starting a running service is an error. Returns
   * when the process exists, not when it serves.
   */
  startService(
    name: string,
    exe: string,
    args: readonly string[],
    options: ServiceOptions,
  ): Promise<void>;
  /** Ends a service and the processes it started. Does nothing if it does not run. */
  stopService(name: string): Promise<void>;
  isServiceRunning(name: string): Promise<boolean>;

  /** The result of `Test-Path` for `\\\\.\\pipe\\<name>`, e.g. `containerd-containerd`. */
  isPipeServed(name: string): Promise<boolean>;

  /**
   * Unpacks a tar archive into a folder. Both are Linux paths. The first `strip` folders of its names are removed.
   *
   * @returns the paths of the unpacked files, which may not be flushed to the disk yet. @throws tar's error.
   */
  unpack(archive: string, folder: string, strip?: number): Promise<readonly string[]>;

  /** Flushes everything written to the drive to the disk. */
  flush(): Promise<void>;

  /** The machine's IPv4 addresses, including the loopback address. */
  addresses(): readonly string[];

  /** The machine's IPv4 addresses with their prefix lengths, e.g. `192.168.150.10/24`. */
  segments(): readonly string[];

  /** Index of the adapter that has the machine's addresses, as its programs see it. */
  adapterIndex(): number;

  /** Gives the machine addresses besides its adapter's, in place of earlier ones. */
  setFurtherAddresses(addresses: readonly string[]): Promise<void>;

  /** Gives the machine its firewall and its pods a network, in place of earlier ones. */
  setNetwork(pieces: readonly LinuxPiece[]): Promise<void>;

  /** Tries a TCP connection, resolving names like the machine's programs. Returns what went wrong, if anything. */
  connect(host: string, port: number, timeoutSeconds: number): Promise<string | undefined>;

  /** The time of an HTTPS server, without verifying its certificate. Undefined if it gives none in `timeoutSeconds`. */
  serverTime(host: string, port: number, timeoutSeconds: number): Promise<Date | undefined>;

  now(): Date;
  setClock(time: Date): Promise<void>;

  /** IPv4 addresses of a name, as the machine's programs resolve it. None if it does not resolve. */
  resolve(name: string): Promise<readonly string[]>;

  /** Replaces the host names that resolve for programs. Called after boot and when Windows' hosts file changes. */
  setHostsEntries(entries: readonly HostsEntry[]): Promise<void>;

  /** Replaces the machine's routes. After boot the machine may have no address yet. */
  setRoutes(routes: readonly Route[]): Promise<void>;

  /**
   * Schedules a reboot in `delaySeconds`, like `shutdown.exe /r /f /t N`, and returns at once. Zero means now. Returns
   * false if a reboot is already scheduled, unless this one is for now.
   *
   * @param end what follows the shutdown. Default: `reboot`.
   */
  reboot(delaySeconds: number, end?: "reboot" | "power off"): Promise<boolean>;

  /** Cancels a scheduled reboot. Returns whether there was one. */
  callOffReboot(): Promise<boolean>;
}

/** The paths to which an archive's entries are unpacked. */
export function unpackedPaths(folder: string, names: readonly string[], strip: number): string[] {
  return names.map((name) => join(folder, ...name.split("/").slice(strip)));
}
