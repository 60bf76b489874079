import type { Drive } from "./drive.ts";
import type { SshServer } from "./ssh/ssh-server.ts";
import { type FaultSetting, Faults } from "./faults.ts";
import { type MachineTime, realTime } from "./machine-time.ts";
import type { WindowsPrograms, HostsEntry } from "./programs.ts";
import { ServiceManager } from "./service-manager.ts";
import { featurePending, updatePending } from "../windows/features.ts";
import { NamedMutexes } from "../windows/mutexes.ts";
import { RecentWrites } from "../windows/recent-writes.ts";
import { type RegistryKey, variablesKey } from "../windows/registry.ts";
import type { Account } from "../windows/security.ts";
import {
  type HostNetwork,
  type HostState,
  type Route,
  type Service,
  loadState,
  savingInOrder,
} from "./state.ts";
import { type WindowsVersion, rehearsedWindows } from "./windows-version.ts";
import type { Call } from "../../powershell/commands.ts";
import { isIPv4, isIPv6 } from "node:net";

/** The machine has been reset under a running step. */
export class PowerLost extends Error {
  override readonly name = "PowerLost";

  constructor() {
    super("the machine has lost its power");
  }
}

/** The SSH server, as the machine's network and services deal with it. */
export type Sshd = Pick<SshServer, "stopListening" | "listen" | "cutConnections" | "answered">;

export interface WindowsHostOptions {
  readonly computerName: string;
  readonly drive: Drive;
  readonly programs: WindowsPrograms;
  /** Besides those in C:\rehearsal\faults.json. Default: none. */
  readonly faults?: readonly FaultSetting[] | undefined;
  readonly version?: WindowsVersion | undefined;
  readonly sshd: Sshd;
  /** Default: `realTime`. */
  readonly time?: MachineTime | undefined;
  /** Aborted when the power goes: nothing may be done to the drive after that. Default: never, as this process ends with it. */
  readonly power?: AbortSignal | undefined;
}

/** Seconds that a switch on the adapter cuts the machine off. */
const switchSeconds = 4;

/** The machine's variables as Windows sets them up. */
const ownVariables = {
  ComSpec: "%SystemRoot%\\system32\\cmd.exe",
  OS: "Windows_NT",
  Path: "%SystemRoot%\\system32;%SystemRoot%",
  PROCESSOR_ARCHITECTURE: "AMD64",
  TEMP: "%SystemRoot%\\TEMP",
  windir: "%SystemRoot%",
} as const;

/** Home of the only user. */
export const homeFolder = "C:\\Users\\Administrator";

/** The model of one Windows machine during one boot; recreated at each from the files on the drive. */
export class WindowsHost {
  readonly computerName: string;
  readonly drive: Drive;
  readonly programs: WindowsPrograms;
  readonly services: ServiceManager;
  readonly faults: Faults;
  readonly version: WindowsVersion;
  /** Programs that run without being a service, e.g. a pod's shim; by their full path. */
  readonly runningPrograms = new Set<string>();
  /** Files that somebody else, e.g. a virus scanner, has open so that nobody may even rename them. */
  readonly openFiles = new Set<string>();
  /** Files that somebody else has open so that nobody may even read them; by their full path. */
  readonly lockedFiles = new Set<string>();
  /** What a power cut would tear. */
  readonly recentWrites: RecentWrites;
  /** Bytes of files that were copied here during this boot. */
  bytesReceived = 0;
  /** What each scheduled task has PowerShell run, by its name in lower case. */
  readonly scheduledTasks = new Map<string, string>();
  readonly registry: RegistryKey;
  /** By name, e.g. that by which steps wait for one another. */
  readonly mutexes: NamedMutexes;
  readonly time: MachineTime;
  /** What is kept through reboots, once it is saved. */
  readonly state: HostState;
  readonly save: () => Promise<void>;
  /** Routes in force; those of the state come back with a boot. */
  readonly routesInForce: Route[];
  readonly #sshd: Sshd;
  readonly #power: AbortSignal;
  #hosts: string | undefined;
  #tasks: Promise<unknown> = Promise.resolve();

  private constructor(options: WindowsHostOptions, state: HostState) {
    this.#sshd = options.sshd;
    this.#power = options.power ?? new AbortController().signal;
    this.state = state;
    this.computerName = options.computerName;
    this.drive = options.drive;
    this.programs = options.programs;
    this.version = options.version ?? rehearsedWindows;
    this.time = options.time ?? realTime;
    this.mutexes = new NamedMutexes(this.time);
    this.recentWrites = new RecentWrites(this.#power);
    this.routesInForce = [...state.routes];
    this.save = savingInOrder(this.drive, state, () => this.recentWrites.wentOn());
    this.registry = state.registry;
    this.services = new ServiceManager(this);
    this.faults = new Faults(this, options.faults ?? []);
  }

  /** Brings Windows up: what waited for a reboot is done now. Services are started by `services.startAutomatic`. */
  static async boot(options: WindowsHostOptions): Promise<WindowsHost> {
    const { programs, drive } = options;
    const state = await loadState(drive, programs.bootTime);
    const host = new WindowsHost(options, state);
    await host.#layOutDrive();
    host.#introduce();
    if (state.bootTime !== programs.bootTime.toISOString()) {
      state.bootTime = programs.bootTime.toISOString();
      host.registry.remove(updatePending);
      const isPending = state.features.Containers === "InstallPending";
      if (!isPending || !(await host.faults.strikes("staleFeature"))) {
        if (isPending) state.features.Containers = "Installed";
        host.registry.remove(featurePending);
      }
    }
    await host.save();
    await host.applyHostsFile();
    await host.applyRoutes();
    return host;
  }

  /** Windows' LastBootUpTime: by the clock as it is now. */
  get bootedAt(): Date {
    const { bootTime, clockOffsetMilliseconds } = this.programs;
    return new Date(bootTime.getTime() + clockOffsetMilliseconds);
  }

  /** The same as the steps write it: UTC, to the second. */
  get lastBootUpTime(): string {
    return `${this.bootedAt.toISOString().slice(0, 19)}Z`;
  }

  /** Makes the names of the hosts file resolve for the programs. */
  async applyHostsFile(): Promise<void> {
    const text = (await this.drive.readText(hostsFilePath)) ?? "";
    if (text === this.#hosts) return;
    await this.programs.setHostsEntries(parseHosts(text));
    this.#hosts = text;
  }

  get sessionVariables(): Readonly<Record<string, string>> {
    return {
      COMPUTERNAME: this.computerName.toUpperCase(),
      HOMEDRIVE: "C:",
      HOMEPATH: homeFolder.slice(2),
      OS: "Windows_NT",
      PROCESSOR_ARCHITECTURE: "AMD64",
      ProgramData: "C:\\ProgramData",
      ProgramFiles: "C:\\Program Files",
      SystemDrive: "C:",
      SystemRoot: "C:\\Windows",
      TEMP: `${homeFolder}\\AppData\\Local\\Temp`,
      USERNAME: "administrator",
      USERPROFILE: homeFolder,
      windir: "C:\\Windows",
    };
  }

  /** Makes the routes in force, and no others, hold for the programs. */
  async applyRoutes(): Promise<void> {
    await this.programs.setRoutes(this.routesInForce);
  }

  /** Cuts the machine off for so many seconds; what runs on it goes on. */
  loseAddress(seconds: number): void {
    this.#cutOff();
    this.#goesOn(async () => {
      await this.sleep(seconds);
      await this.#sshd.listen();
    });
  }

  #cutOff(): void {
    this.#sshd.stopListening();
    this.#sshd.cutConnections();
  }

  account: Account = { name: "Administrator", isAdministrator: true };

  /** Called before each cmdlet that only Windows has; what it throws is how that ends. */
  beforeCmdlet: (call: Call) => void = () => undefined;

  /** Folders on the machine's PATH besides Windows' own. */
  get path(): readonly string[] {
    const value = variablesKey(this.registry).values.get("path")?.data;
    const folders = typeof value === "string" ? value.split(";") : [];
    return folders.slice(ownVariables.Path.split(";").length);
  }

  sshdStartType: Service["startType"] = "auto";

  hasAddress = true;

  /** Whether the switch of the last network is on the adapter. */
  #isSettled = true;

  /** Address of the adapter that a network is on; none until its switch is. */
  get managementAddress(): string {
    return this.#isSettled
      ? (this.programs.addresses().find((each) => each !== "127.0.0.1") ?? "")
      : "";
  }

  /** IPv4 addresses with their prefix lengths; instead of those its adapter has lost, one that Windows makes up. */
  segments(): readonly string[] {
    const own = this.programs.segments();
    if (this.hasAddress) return own;
    return [...own.filter((each) => each.startsWith("127.")), "169.254.7.7/16"];
  }

  /** Cuts the machine off, a moment later, for some seconds; by a fault, until it boots. */
  async #putSwitchOnAdapter(): Promise<void> {
    this.#isSettled = false;
    await this.sleep(switchSeconds / 4);
    this.hasAddress = false;
    this.#cutOff();
    if (await this.faults.strikes("addressLost")) return;
    await this.sleep(switchSeconds);
    this.#isSettled = true;
    this.hasAddress = true;
    if (this.isSshdListening) await this.#sshd.listen();
  }

  #goesOn(work: () => Promise<void>): void {
    this.time.busy(work).catch(() => undefined);
  }

  /** Makes a network in HNS of a kind that is on the machine's adapter. */
  async addHostNetwork(name: string, network: Omit<HostNetwork, "endpoints">): Promise<void> {
    this.state.networks[name] = { ...network, endpoints: [] };
    await this.save();
    // Whoever asked is not kept waiting.
    this.#goesOn(() => this.#putSwitchOnAdapter());
  }

  isSshdListening = true;

  stopSshd(): void {
    this.isSshdListening = false;
    this.#sshd.stopListening();
  }

  async startSshd(): Promise<void> {
    this.assertPower();
    this.isSshdListening = true;
    if (this.hasAddress) await this.#sshd.listen();
  }

  cutConnections(): void {
    this.#sshd.cutConnections();
  }

  /** Runs what no session waits for until the power goes; it begins when the steps have ended, and sent their results. */
  startTask(work: () => Promise<void>): void {
    const begin = async (): Promise<void> => {
      await this.#sshd.answered();
      this.assertPower();
      await work();
    };
    const task = this.mutexes
      .idle()
      .then(() => this.time.busy(begin))
      .catch((error: unknown) => {
        if (!(error instanceof PowerLost)) throw error;
      });
    this.#tasks = Promise.all([this.#tasks, task]);
  }

  /** Resolves when the tasks started so far have ended. */
  async tasksEnded(): Promise<void> {
    await this.#tasks;
  }

  /** Waits as a script does: it ends with the power, and where it is cancelled. */
  async sleep(seconds: number, cancelled?: AbortSignal): Promise<void> {
    const end = cancelled ? AbortSignal.any([this.#power, cancelled]) : this.#power;
    await this.time.sleep(seconds * 1000, end);
    if (!cancelled?.aborted) this.assertPower();
  }

  /** For what happens no more, because the power is about to go. */
  async neverEnds(): Promise<never> {
    await this.sleep(Infinity);
    throw new PowerLost();
  }

  /** Stops whatever runs on a machine whose power is gone. */
  assertPower(): void {
    if (this.#power.aborted) throw new PowerLost();
  }

  /** Has the registry say which Windows this is: none, it says. And keys that every Windows has, below which steps write. */
  #introduce(): void {
    const { productName, edition, build, revision } = this.version;
    const version = this.registry.make("SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion");
    version.set("ProductName", `${productName} (rehearsal)`, "String");
    version.set("EditionID", edition, "String");
    version.set("CurrentBuildNumber", String(build), "String");
    version.set("UBR", revision, "DWord");
    const names = this.registry.make("SYSTEM\\CurrentControlSet\\Control\\ComputerName");
    for (const each of ["ComputerName", "ActiveComputerName"]) {
      names.make(each).set("ComputerName", this.computerName, "String");
    }
    this.registry.make("SYSTEM\\CurrentControlSet\\Services");
    this.registry.make("SOFTWARE\\Policies\\Microsoft\\Windows");
    const current = this.registry.make("SOFTWARE\\Microsoft\\Windows\\CurrentVersion");
    current.make("Component Based Servicing");
    const variables = variablesKey(this.registry);
    for (const [name, value] of Object.entries(ownVariables)) {
      const kind = value.includes("%") ? "ExpandString" : "String";
      if (variables.get(name) === undefined) variables.set(name, value, kind);
    }
  }

  async #layOutDrive(): Promise<void> {
    await this.drive.makeFolder(homeFolder);
    await this.drive.makeFolder("C:\\Program Files");
    await this.drive.makeFolder("C:\\ProgramData");
    if (!(await this.drive.isFile(hostsFilePath))) {
      await this.drive.write(hostsFilePath, "# hosts file of a rehearsal host\r\n");
    }
  }
}

const hostsFilePath = "C:\\Windows\\System32\\drivers\\etc\\hosts";

/** The entries of a hosts file; comments and lines without a valid address are passed over, as Windows does. */
function parseHosts(text: string): HostsEntry[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [address, ...names] = line.replace(/#.*$/, "").trim().split(/\s+/);
    if (address === undefined || names.length === 0) return [];
    return isIPv4(address) || isIPv6(address) ? [{ address, names }] : [];
  });
}
