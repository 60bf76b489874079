import type { Drive } from "./drive.ts";
import type { SshServer } from "./ssh/ssh-server.ts";
import { type FaultSetting, Faults } from "./faults.ts";
import { type MachineTime, realTime } from "./machine-time.ts";
import type { WindowsPrograms, HostsEntry } from "./programs.ts";
import { ServiceManager } from "./service-manager.ts";
import { nextNameKey } from "../windows/computer-name.ts";
import { featurePending, updatePending } from "../windows/features.ts";
import { linuxFirewall } from "../windows/firewall.ts";
import { linuxNetwork } from "../windows/hns/linux-network.ts";
import { HostNetworkingService } from "../windows/hns/service.ts";
import { NamedMutexes } from "../windows/mutexes.ts";
import { RecentWrites } from "../windows/recent-writes.ts";
import { type RegistryKey, variablesKey } from "../windows/registry.ts";
import type { Account } from "../windows/security.ts";
import { type MachineState, type Route, type Service, loadState, savingInOrder } from "./state.ts";
import { type WindowsVersion, rehearsedWindows } from "./windows-version.ts";
import type { Call } from "../powershell/commands.ts";
import { isIPv4, isIPv6 } from "node:net";

/** Thrown in a running step when the machine is reset. */
export class PowerLost extends Error {
  override readonly name = "PowerLost";

  constructor() {
    super("the machine has lost its power");
  }
}

/** The part of the SSH server that the machine's network and services use. */
type Sshd = Pick<SshServer, "stopListening" | "listen" | "cutConnections" | "answered">;

export interface WindowsMachineOptions {
  readonly computerName: string;
  readonly drive: Drive;
  readonly programs: WindowsPrograms;
  /** Faults besides those in C:\rehearsal\faults.json. Default: none. */
  readonly faults?: readonly FaultSetting[] | undefined;
  readonly version?: WindowsVersion | undefined;
  readonly sshd: Sshd;
  /** Default: `realTime`. */
  readonly time?: MachineTime | undefined;
  /** Aborted when the power fails: then the drive must not change. Default: never, because this process ends with it. */
  readonly power?: AbortSignal | undefined;
}

/**
 * Seconds for which the machine is cut off when HNS puts a switch on its adapter. flanneld gives it 5, and otherwise ends. If
 * the address comes at that very moment, it goes on without routes to other nodes (pkg/backend/vxlan/device_windows.go wraps
 * an error that is nil).
 */
const switchSeconds = 3;

/** The machine's environment variables on a new Windows. */
const ownVariables = {
  ComSpec: "%SystemRoot%\\system32\\cmd.exe",
  OS: "Windows_NT",
  Path: "%SystemRoot%\\system32;%SystemRoot%",
  PROCESSOR_ARCHITECTURE: "AMD64",
  TEMP: "%SystemRoot%\\TEMP",
  windir: "%SystemRoot%",
} as const;

export interface ListedProcess {
  readonly path: string;
  readonly id: number;
  readonly commandLine: string;
  /** Undefined for a service's, which only its service ends. */
  readonly kill?: () => void;
}

/** Home folder of the only user. */
export const homeFolder = "C:\\Users\\Administrator";

/** The model of a Windows machine during one boot. Each boot recreates it from the files on the drive. */
export class WindowsMachine {
  readonly computerName: string;
  readonly drive: Drive;
  readonly programs: WindowsPrograms;
  readonly services: ServiceManager;
  readonly hns: HostNetworkingService;
  readonly faults: Faults;
  readonly version: WindowsVersion;
  /** Full paths of running programs that are not services, e.g. a pod's shim. */
  readonly runningPrograms = new Set<string>();
  /** What scripts have started and not waited for. */
  readonly startedProcesses = new Set<ListedProcess>();
  #processId = 5000;
  /** Full paths of files that another program, e.g. a virus scanner, has open: they can be read, but not changed. */
  readonly openFiles = new Set<string>();
  /** Full paths of files that another program has open exclusively: they can't even be read. */
  readonly lockedFiles = new Set<string>();
  /** Writes that a power cut would damage. */
  readonly recentWrites: RecentWrites;
  /** Bytes of files that were uploaded during this boot. */
  bytesReceived = 0;
  /** The PowerShell command of each scheduled task, by the task's name in lower case. */
  readonly scheduledTasks = new Map<string, string>();
  readonly registry: RegistryKey;
  /** Mutexes by name, e.g. the one that keeps steps from running at the same time. */
  readonly mutexes: NamedMutexes;
  readonly time: MachineTime;
  /** State that survives reboots once it is saved. */
  readonly state: MachineState;
  readonly save: () => Promise<void>;
  /** Active routes. After a boot, these are the persistent ones of the state. */
  readonly routesInForce: Route[];
  readonly #sshd: Sshd;
  readonly #power: AbortSignal;
  #hosts: string | undefined;
  #tasks: Promise<unknown> = Promise.resolve();

  newProcessId(): number {
    this.#processId += 4;
    return this.#processId;
  }

  private constructor(options: WindowsMachineOptions, state: MachineState) {
    this.#sshd = options.sshd;
    this.#power = options.power ?? new AbortController().signal;
    this.state = state;
    this.computerName = state.computerName ?? options.computerName;
    this.drive = options.drive;
    this.programs = options.programs;
    this.version = options.version ?? rehearsedWindows;
    this.time = options.time ?? realTime;
    this.mutexes = new NamedMutexes(this.time);
    this.recentWrites = new RecentWrites(this.#power);
    this.routesInForce = [...state.routes];
    this.save = savingInOrder(this.drive, state, () => this.recentWrites.movesFlushed());
    this.registry = state.registry;
    this.services = new ServiceManager(this);
    this.hns = new HostNetworkingService(this);
    this.faults = new Faults(this, options.faults ?? []);
  }

  /** Boots Windows and completes what was pending. Does not start services: `services.startAutomatic` does. */
  static async boot(options: WindowsMachineOptions): Promise<WindowsMachine> {
    const { programs, drive } = options;
    const state = await loadState(drive, programs.bootTime);
    const machine = new WindowsMachine(options, state);
    await machine.#prepareDrive();
    machine.#prepareRegistry();
    if (state.bootTime !== programs.bootTime.toISOString()) {
      state.bootTime = programs.bootTime.toISOString();
      machine.registry.remove(updatePending);
      machine.hns.forget();
      const isPending = state.features.Containers === "InstallPending";
      if (!isPending || !(await machine.faults.strikes("staleFeature"))) {
        if (isPending) state.features.Containers = "Installed";
        machine.registry.remove(featurePending);
      }
    }
    await machine.save();
    await machine.applyHostsFile();
    await machine.applyRoutes();
    await machine.hns.follow();
    return machine;
  }

  /** Windows' LastBootUpTime, relative to the current clock. */
  get bootedAt(): Date {
    const { bootTime, clockOffsetMilliseconds } = this.programs;
    return new Date(bootTime.getTime() + clockOffsetMilliseconds);
  }

  /** LastBootUpTime as the steps write it: UTC, to the second. */
  get lastBootUpTime(): string {
    return `${this.bootedAt.toISOString().slice(0, 19)}Z`;
  }

  /** Lets programs resolve the names in the hosts file. */
  async applyHostsFile(): Promise<void> {
    const text = (await this.drive.readText(hostsFilePath)) ?? "";
    if (text === this.#hosts) return;
    await this.programs.setHostsEntries(parseHosts(text));
    this.#hosts = text;
  }

  get sessionVariables(): Readonly<Record<string, string>> {
    return {
      COMPUTERNAME: this.computerName.toUpperCase(),
      ComSpec: "C:\\Windows\\system32\\cmd.exe",
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

  /** Replaces the programs' routes by the active ones. */
  async applyRoutes(): Promise<void> {
    await this.programs.setRoutes(this.routesInForce);
  }

  /** Lets Linux have the firewall's rules, and the pods their network. */
  async followNetwork(): Promise<void> {
    const { firewallRules, hns } = this.state;
    await this.programs.setNetwork([
      linuxFirewall(firewallRules),
      ...linuxNetwork(hns, this.managementAddress),
    ]);
  }

  /** Cuts the machine off from the network for some seconds. Programs continue to run. */
  loseAddress(seconds: number): void {
    this.#cutOff();
    this.#inBackground(async () => {
      await this.sleep(seconds);
      await this.#sshd.listen();
    });
  }

  #cutOff(): void {
    this.#sshd.stopListening();
    this.#sshd.cutConnections();
  }

  account: Account = { name: "Administrator", isAdministrator: true };

  /** Called before each cmdlet that only Windows has. If it throws, the cmdlet fails with that error. */
  beforeCmdlet: (call: Call) => void = () => undefined;

  /** Folders on the machine's PATH besides Windows' own. */
  get path(): readonly string[] {
    const value = variablesKey(this.registry).values.get("path")?.data;
    const folders = typeof value === "string" ? value.split(";") : [];
    return folders.slice(ownVariables.Path.split(";").length);
  }

  sshdStartType: Service["startType"] = "auto";

  hasAddress = true;

  /** Whether the switch has been put on the adapter. */
  #isSwitchReady = true;

  /** Address of the adapter that networks use. "" while a switch is being put on it. */
  get managementAddress(): string {
    return this.#isSwitchReady
      ? (this.programs.addresses().find((each) => each !== "127.0.0.1") ?? "")
      : "";
  }

  /** IPv4 addresses with their prefix lengths. If the adapter has lost its own, it has a link-local one. */
  segments(): readonly string[] {
    const own = this.programs.segments();
    if (this.hasAddress) return own;
    return [...own.filter((each) => each.startsWith("127.")), "169.254.7.7/16"];
  }

  /** Cuts the machine off for some seconds, after a moment. If the fault `addressLost` strikes, until the next boot. */
  async #switchAdapter(): Promise<void> {
    this.#isSwitchReady = false;
    await this.sleep(switchSeconds / 4);
    this.hasAddress = false;
    this.#cutOff();
    if (await this.faults.strikes("addressLost")) return;
    await this.sleep(switchSeconds);
    this.#isSwitchReady = true;
    this.hasAddress = true;
    if (this.isSshdListening) await this.#sshd.listen();
  }

  #inBackground(work: () => Promise<void>): void {
    this.time.busy(work).catch(() => undefined);
  }

  /** HNS has made the first network that needs a switch on the machine's adapter. Does not wait for the switch. */
  putSwitchOnAdapter(): void {
    this.#inBackground(() => this.#switchAdapter());
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

  /** Runs work that belongs to no session. It begins when all steps have ended and sent their results. */
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

  /** Waits as a script does: until the time has passed, `cancelled` is aborted, or the power fails. */
  async sleep(seconds: number, cancelled?: AbortSignal): Promise<void> {
    const end = cancelled ? AbortSignal.any([this.#power, cancelled]) : this.#power;
    await this.time.sleep(seconds * 1000, end);
    if (!cancelled?.aborted) this.assertPower();
  }

  /** Waits for a power failure that is about to happen. */
  async neverEnds(): Promise<never> {
    await this.sleep(Infinity);
    throw new PowerLost();
  }

  /** @throws PowerLost if the machine has lost its power. */
  assertPower(): void {
    if (this.#power.aborted) throw new PowerLost();
  }

  /** Writes the Windows version to the registry, marked as a rehearsal, and creates keys that every Windows has. */
  #prepareRegistry(): void {
    const { productName, edition, build, revision } = this.version;
    const version = this.registry.make("SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion");
    version.set("ProductName", `${productName} (rehearsal)`, "String");
    version.set("EditionID", edition, "String");
    version.set("CurrentBuildNumber", String(build), "String");
    version.set("UBR", revision, "DWord");
    for (const each of [
      nextNameKey,
      "SYSTEM\\CurrentControlSet\\Control\\ComputerName\\ActiveComputerName",
    ]) {
      this.registry.make(each).set("ComputerName", this.computerName, "String");
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

  async #prepareDrive(): Promise<void> {
    await this.drive.makeFolder(homeFolder);
    await this.drive.makeFolder("C:\\Program Files");
    await this.drive.makeFolder("C:\\ProgramData");
    if (!(await this.drive.isFile(hostsFilePath))) {
      await this.drive.write(hostsFilePath, "# hosts file of a rehearsed machine\r\n");
    }
  }
}

const hostsFilePath = "C:\\Windows\\System32\\drivers\\etc\\hosts";

/** Parses a hosts file. Comments and lines without a valid address are ignored, as by Windows. */
function parseHosts(text: string): HostsEntry[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [address, ...names] = line.replace(/#.*$/, "").trim().split(/\s+/);
    if (address === undefined || names.length === 0) return [];
    return isIPv4(address) || isIPv6(address) ? [{ address, names }] : [];
  });
}
