import { type ChildProcess, execFile, spawn } from "node:child_process";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { open, readFile, statfs } from "node:fs/promises";
import { type NetworkInterfaceInfo, networkInterfaces, totalmem } from "node:os";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { join } from "node:path";
import { writeWhole } from "../../host/write-whole.ts";
import { prefixFolder } from "../wine/guest-root.ts";
import { Drive } from "../machine/drive.ts";
import { isPodDevice } from "../windows/hns/linux-network.ts";
import { LinuxNetwork } from "./linux-network.ts";
import {
  type HostsEntry,
  type LinuxPiece,
  type ProgramResult,
  type RunOptions,
  type ServiceOptions,
  unpackedPaths,
  type WindowsPrograms,
} from "../machine/programs.ts";
import type { Route } from "../machine/state.ts";
import { serverTime, tcpProbe } from "../machine/probes.ts";
import { type StartProgram, killGroup, startWine } from "./wine-process.ts";
import {
  containerdAddress,
  criPipe,
  criReadyFile,
  serviceProcesses,
  WineServices,
} from "./wine-services.ts";

const guestPaths = {
  driveC: join(prefixFolder, "drive_c"),
  /** Linux's hosts file, which Wine's programs use to resolve names. */
  hostsFile: "/etc/hosts",
  /** The wanted routes, as `routesScript` reads them: "RANGE via ADDRESS". */
  routesFile: "/run/routes",
  /** Adds the routes of `routesFile`, after removing those to the ranges in its arguments. */
  routesScript: "/opt/kindows/routes",
  /** Prepares Linux for the machine's firewall and its pods' network. */
  networkScript: "/opt/kindows/network",
};

/** Tests set paths outside of the guest. */
interface WineProgramsOptions extends Partial<typeof guestPaths> {
  readonly bootTime: Date;
  /** Starts programs. Default: `startWine`. */
  readonly start?: StartProgram;
}

/** In the standard error of a program that was killed, the text before the signal's name. */
export const endedUnderWine = "ended under Wine by";

/** Seconds to wait for a program's remaining output after it has ended. */
const outputSeconds = 1;

const routesSeconds = 20;
const networkSeconds = 60;

export class WinePrograms implements WindowsPrograms {
  readonly driveC: string;
  readonly bootTime: Date;
  readonly memoryMiB = Math.floor(totalmem() / 2 ** 20);
  clockOffsetMilliseconds = 0;
  readonly #paths: typeof guestPaths;
  readonly #drive: Drive;
  readonly #services: WineServices;
  readonly #start: StartProgram;
  readonly #network: LinuxNetwork;
  #reboot: ChildProcess | undefined;

  constructor(options: WineProgramsOptions) {
    this.#paths = { ...guestPaths, ...options };
    this.driveC = this.#paths.driveC;
    this.bootTime = options.bootTime;
    this.#drive = new Drive(this.driveC);
    this.#start = options.start ?? startWine;
    this.#services = new WineServices(this.#drive, this.#start);
    this.#network = new LinuxNetwork(() => this.prepareNetwork());
  }

  async freeDiskGiB(): Promise<number> {
    const { bavail, bsize } = await statfs(this.driveC);
    return Math.floor((bavail * bsize) / 2 ** 30);
  }

  /** Starts Wine and its server, so that the next program starts faster. */
  async warmUp(): Promise<void> {
    await this.runToEnd("C:\\windows\\system32\\hostname.exe", [], { timeoutSeconds: 120 });
  }

  async run(exe: string, args: readonly string[], options: RunOptions): Promise<ProgramResult> {
    await this.#assertProgram(exe);
    const { startService } = options;
    const run = (all: readonly string[]) => this.runToEnd(exe, all, options);
    return startService && isJoin(exe, args)
      ? runJoin(this.#drive, args, run, startService)
      : run(args);
  }

  /** Like `run`, but also for Wine's own programs: links out of drive C:, which the model does not follow. */
  protected async runToEnd(
    exe: string,
    args: readonly string[],
    options: RunOptions,
  ): Promise<ProgramResult> {
    const child = this.#start(exe, args, {
      cwd: await this.#drive.resolve(options.cwd ?? "C:\\"),
      path: options.path ?? [],
      environment: [
        ...(options.environment ?? []),
        ...(/\\ctr\.exe$/i.test(exe) ? [containerdAddress] : []),
      ],
      stdio: ["pipe", "pipe", "pipe"],
    });
    const { stdin, stdout, stderr } = child;
    if (!stdin || !stdout || !stderr) throw new Error(`${exe} was started without its streams`);
    const { output } = options;
    const out = output ? passLines(stdout, output.lines) : collect(stdout);
    const err = output ? passOn(stderr, output.error) : collect(stderr);
    // A program need not read all of its input.
    stdin.on("error", () => undefined);
    stdin.end(options.stdin ?? "");
    let timedOut = false;
    const kill = (): void => killGroup(child);
    const limit = setTimeout(() => {
      timedOut = true;
      kill();
    }, options.timeoutSeconds * 1000);
    options.killed?.addEventListener("abort", kill);
    const closed = once(child, "close");
    try {
      const [exitCode, signal] = (await once(child, "exit")) as [number | null, string | null];
      // Child processes may hold the program's outputs open after its end.
      await Promise.race([closed, sleep(outputSeconds * 1000)]);
      if (timedOut) {
        const limit = `${options.timeoutSeconds} s`;
        throw new Error(`${exe} did not end within ${limit} and was stopped: ${out()}${err()}`);
      }
      if (exitCode !== null) return { exitCode, stdout: out(), stderr: err() };
      // Windows has no signals, but the message should still say that the program was killed.
      return { exitCode: 1, stdout: out(), stderr: `${err()}(${endedUnderWine} ${signal})` };
    } finally {
      clearTimeout(limit);
      options.killed?.removeEventListener("abort", kill);
    }
  }

  async startService(
    name: string,
    exe: string,
    args: readonly string[],
    options: ServiceOptions,
  ): Promise<void> {
    const processes = serviceProcesses(exe, args, options.logFile, this.bootTime);
    for (const each of processes) await this.#assertProgram(each.exe);
    if (name === "containerd") await this.#drive.remove(criReadyFile);
    await this.#services.start(name, processes, options);
  }

  async stopService(name: string): Promise<void> {
    await this.#services.stop(name);
  }

  isServiceRunning(name: string): Promise<boolean> {
    return Promise.resolve(this.#services.isRunning(name));
  }

  async isPipeServed(name: string): Promise<boolean> {
    if (name !== criPipe) throw new Error(`nothing is known of the pipe ${name}`);
    return this.#services.isRunning("containerd") && (await this.#drive.isFile(criReadyFile));
  }

  async unpack(archive: string, folder: string, strip = 0): Promise<readonly string[]> {
    // Some hundred small files: an emulated CPU does that in C in a tenth of the time that JavaScript takes for it.
    const options = [...((await isGzip(archive)) ? ["-z"] : []), `--strip-components=${strip}`];
    const names = await busybox("tar", "-x", "-v", "-f", archive, "-C", folder, ...options);
    return unpackedPaths(folder, names.trimEnd().split("\n"), strip);
  }

  async flush(): Promise<void> {
    await busybox("sync");
  }

  addresses(): readonly string[] {
    return ipv4Addresses().map(({ address }) => address);
  }

  segments(): readonly string[] {
    return ipv4Addresses().flatMap(({ cidr }) => cidr ?? []);
  }

  adapterIndex(): number {
    const isAdapter = ({ family, internal }: NetworkInterfaceInfo) =>
      family === "IPv4" && !internal;
    const [name] = ownInterfaces().find(([, all]) => all.some(isAdapter)) ?? [];
    // Node.js does not tell it; this file lists the interfaces with their indexes.
    const lines = readFileSync("/proc/net/igmp", "utf8").matchAll(/^(\d+)\s+(\S+)\s*:/gm);
    return Number([...lines].find(([, , each]) => each === name)?.[1] ?? 0);
  }

  /** On the loopback interface, where Linux answers for them from everywhere, and Wine's programs find them. */
  async setFurtherAddresses(addresses: readonly string[]): Promise<void> {
    const present = (networkInterfaces()[loopback] ?? [])
      .filter(({ family, address }) => family === "IPv4" && address !== loopbackAddress)
      .map(({ address }) => address);
    const change = async (how: string, changed: readonly string[], besides: readonly string[]) => {
      for (const address of changed.filter((each) => !besides.includes(each))) {
        await this.ip("addr", how, `${address}/32`, "dev", loopback);
      }
    };
    await change("del", present, addresses);
    await change("add", addresses, present);
  }

  setNetwork(pieces: readonly LinuxPiece[]): Promise<void> {
    return this.#network.become(pieces);
  }

  /** Prepares Linux for the machine's firewall and its pods' network. */
  protected async prepareNetwork(): Promise<void> {
    const { networkScript } = this.#paths;
    await promisify(execFile)(networkScript, [], { timeout: networkSeconds * 1000 });
  }

  /** Runs `ip`. */
  protected async ip(...args: readonly string[]): Promise<void> {
    await busybox("ip", ...args);
  }

  readonly connect = tcpProbe;

  async resolve(name: string): Promise<readonly string[]> {
    const found = await lookup(name, { all: true, family: 4 }).catch(() => []);
    return found.map(({ address }) => address);
  }

  serverTime(...args: Parameters<typeof serverTime>): Promise<Date | undefined> {
    return serverTime(...args);
  }

  now(): Date {
    return new Date();
  }

  async setClock(time: Date): Promise<void> {
    const moved = time.getTime() - Date.now();
    const text = time.toISOString().slice(0, 19).replace("T", " ");
    await busybox("date", "-u", "-s", text);
    this.clockOffsetMilliseconds += moved;
  }

  setHostsEntries(entries: readonly HostsEntry[]): Promise<void> {
    const lines = entries.map(({ address, names }) => `${address} ${names.join(" ")}\n`);
    writeWhole(this.#paths.hostsFile, `127.0.0.1 localhost\n${lines.join("")}`);
    return Promise.resolve();
  }

  async setRoutes(routes: readonly Route[]): Promise<void> {
    const { routesFile, routesScript } = this.#paths;
    // Before the first call there is no file.
    const before = await readFile(routesFile, "utf8").catch(() => "");
    const lines = routes.map(({ destination, nextHop }) => `${destination} via ${nextHop}\n`);
    // A DHCP lease may read the file at any time, so replace it as a whole.
    writeWhole(routesFile, lines.join(""));
    const wanted = new Set(routes.map(({ destination }) => destination));
    const gone = (before.match(/^\S+/gm) ?? []).filter((range) => !wanted.has(range));
    await promisify(execFile)(routesScript, gone, { timeout: routesSeconds * 1000 });
  }

  async reboot(delaySeconds: number, end: "reboot" | "power off" = "reboot"): Promise<boolean> {
    if (this.#reboot && delaySeconds > 0) return false;
    // A separate program, so that the reboot happens even if this one ends.
    const args = [String(delaySeconds), end === "reboot" ? "reboot" : "poweroff"];
    const child = spawn("/opt/kindows/reboot", args, {
      detached: true,
      stdio: "ignore",
    });
    this.#reboot = child;
    await once(child, "spawn");
    child.unref();
    return true;
  }

  callOffReboot(): Promise<boolean> {
    const wasOrdered = this.#reboot !== undefined;
    if (this.#reboot) killGroup(this.#reboot);
    this.#reboot = undefined;
    return Promise.resolve(wasOrdered);
  }

  async #assertProgram(exe: string): Promise<void> {
    if (!(await this.#drive.isFile(exe))) throw new Error(`there is no program ${exe}`);
  }
}

/** Whether a tar archive is compressed, which Debian's busybox does not detect. */
async function isGzip(archive: string): Promise<boolean> {
  const file = await open(archive);
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2);
    return buffer.equals(Buffer.from([0x1f, 0x8b]));
  } finally {
    await file.close();
  }
}

/** Runs a busybox program; the guest has no other Linux programs. @throws an error with its standard error. */
async function busybox(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)("/bin/busybox", args)).stdout;
}

const loopback = "lo";
const loopbackAddress = "127.0.0.1";

/** Those that are the machine's on Windows, too. */
function ownInterfaces(): [name: string, NetworkInterfaceInfo[]][] {
  return Object.entries(networkInterfaces()).flatMap(([name, all]) =>
    all === undefined || isPodDevice(name) ? [] : [[name, all]],
  );
}

/** Without further addresses. */
function ipv4Addresses(): NetworkInterfaceInfo[] {
  return ownInterfaces()
    .flatMap(([, each]) => each)
    .filter(
      ({ family, internal, address }) =>
        family === "IPv4" && (!internal || address === loopbackAddress),
    );
}

/** Starts reading a stream. Returns a function that returns the text received so far. */
function collect(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString("utf8");
}

/** Passes a stream's text on. Returns a function for what is left, which is nothing. */
function passOn(stream: Readable, to: (text: string) => void): () => string {
  stream.setEncoding("utf8").on("data", to);
  return () => "";
}

/** Passes a stream's whole lines on. Returns a function that returns the line that has not ended so far. */
function passLines(stream: Readable, to: (text: string) => void): () => string {
  let rest = "";
  passOn(stream, (text) => {
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) to(rest + text.slice(0, end));
    rest = (end > 0 ? "" : rest) + text.slice(end);
  });
  return () => rest;
}

/** The last file that `kubeadm join` writes before it asks the service manager to start kubelet. */
const flagsPath = "C:\\var\\lib\\kubelet\\kubeadm-flags.env";

/**
 * Preflight checks that may fail here although they would pass on Windows: kubeadm gives the container runtime two seconds
 * for each first answer, which can be too short on an emulated CPU of a busy host. No other checks are ignored.
 */
const ignoredPreflightErrors = ["CRI", "ContainerRuntimeVersion"];

function isJoin(exe: string, [command]: readonly string[]): boolean {
  return /\\kubeadm\.exe$/i.test(exe) && command === "join";
}

/** Runs kubeadm join and starts kubelet when `flagsPath` exists, because kubeadm's own request has no effect under Wine. */
async function runJoin<Result>(
  drive: Drive,
  args: readonly string[],
  run: (args: readonly string[]) => Promise<Result>,
  startService: (name: string) => Promise<void>,
): Promise<Result> {
  const ended = new AbortController();
  const watch = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      if ((await drive.readText(flagsPath))?.trim()) {
        // If it does not start, kubeadm itself reports that kubelet is not healthy.
        await startService("kubelet").catch(() => undefined);
        return;
      }
      await sleep(100);
    }
  };
  const started = watch();
  try {
    return await run([...args, `--ignore-preflight-errors=${ignoredPreflightErrors.join(",")}`]);
  } finally {
    ended.abort();
    await started;
  }
}
