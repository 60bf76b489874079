import { setTimeout as sleep } from "node:timers/promises";
import type { Drive } from "./drive.ts";
import { type FaultSetting, Faults } from "./faults.ts";
import type { Hardware } from "./hardware.ts";
import { hostsFilePath, parseHosts } from "./hosts-file.ts";
import type { WindowsPrograms } from "./programs.ts";
import { ServiceManager } from "./service-manager.ts";
import { StepLock } from "./step-lock.ts";
import { PowerLost } from "./power-lost.ts";
import { type HostState, loadState, saveState, savingInOrder } from "./state.ts";
import { WindowsSettings } from "./windows-settings.ts";
import { type WindowsVersion, rehearsedWindows } from "./windows-version.ts";

/** What a model of Windows is made of. */
export interface WindowsHostOptions {
  readonly computerName: string;
  readonly drive: Drive;
  readonly programs: WindowsPrograms;
  readonly hardware: Hardware;
  readonly faults: readonly FaultSetting[];
  /** Default: `rehearsedWindows`. */
  readonly version?: WindowsVersion;
  /** Closes the SSH port; sessions that are open go on. */
  readonly stopSshd: () => void;
  /** Opens the SSH port again. */
  readonly startSshd: () => Promise<void>;
  /** Cuts every connection, as a change of the network adapter does. */
  readonly cutConnections: () => void;
  /** Factor on every time a step waits before it gives up or tries again: 1 in the guest, less in fast tests. */
  readonly patience: number;
  /** Aborted when the power goes: nothing may be done to the drive after that. */
  readonly power: AbortSignal;
}

/** Home of the only user. */
export const homeFolder = "C:\\Users\\Administrator";

/**
 * The model of one Windows machine during one boot: its drive, features, services, and the programs it can run.
 *
 * Made anew at each boot from what lies on the drive.
 */
export class WindowsHost {
  readonly computerName: string;
  readonly drive: Drive;
  readonly programs: WindowsPrograms;
  readonly hardware: Hardware;
  readonly settings: WindowsSettings;
  readonly services: ServiceManager;
  readonly faults: Faults;
  readonly version: WindowsVersion;
  /** Programs that run without being a service, e.g. a pod's shim; by their full path. */
  readonly runningPrograms = new Set<string>();
  /** Files that somebody else, e.g. a virus scanner, has open so that nobody may even rename them. */
  readonly openFiles = new Set<string>();
  /** One step at a time per machine. */
  readonly stepLock: StepLock = new StepLock();
  /** Bytes of files that were copied here during this boot. */
  bytesReceived = 0;
  readonly #state: HostState;
  readonly #options: WindowsHostOptions;
  #tasks: Promise<unknown> = Promise.resolve();

  private constructor(options: WindowsHostOptions, state: HostState) {
    this.#options = options;
    this.#state = state;
    this.computerName = options.computerName;
    this.drive = options.drive;
    this.programs = options.programs;
    this.hardware = options.hardware;
    this.version = options.version ?? rehearsedWindows;
    const save = savingInOrder(this.drive, state);
    this.settings = new WindowsSettings(this.drive, state, save);
    this.services = new ServiceManager(this.drive, options.programs, state, save);
    this.faults = new Faults(this.drive, options.faults, state.faultsPlayed, save);
  }

  /** Brings Windows up: what waited for a reboot is done now. Services are started by `services.startAutomatic`. */
  static async boot(options: WindowsHostOptions): Promise<WindowsHost> {
    const { programs, drive } = options;
    const state = await loadState(drive, programs.bootTime);
    const host = new WindowsHost(options, state);
    await host.#layOutDrive();
    if (state.bootTime !== programs.bootTime.toISOString()) {
      state.bootTime = programs.bootTime.toISOString();
      state.updatePending = false;
      if (!(await host.#featureStaysStale())) {
        for (const [feature, installation] of Object.entries(state.features)) {
          if (installation === "InstallPending") state.features[feature] = "Installed";
        }
      }
    }
    await saveState(drive, state);
    await host.applyHostsFile();
    await host.applyRoutes();
    return host;
  }

  /** Windows' LastBootUpTime as the steps write it: UTC, to the second. */
  get lastBootUpTime(): string {
    return utcSeconds(this.programs.bootTime);
  }

  /** Makes the names of the hosts file resolve for the programs. */
  async applyHostsFile(): Promise<void> {
    await this.programs.setHostsEntries(
      parseHosts((await this.drive.readText(hostsFilePath)) ?? ""),
    );
  }

  /** Makes the persistent routes, and no others, hold for the programs. */
  async applyRoutes(): Promise<void> {
    await this.programs.setRoutes(this.settings.routes);
  }

  /** Cuts the machine off for so many seconds; what runs on it goes on. */
  loseAddress(seconds: number): void {
    this.#options.stopSshd();
    this.#options.cutConnections();
    setTimeout(() => {
      if (!this.powerLost) this.#options.startSshd().catch(() => undefined);
    }, this.milliseconds(seconds));
  }

  stopSshd(): void {
    this.#options.stopSshd();
  }

  async startSshd(): Promise<void> {
    this.assertPower();
    await this.#options.startSshd();
  }

  cutConnections(): void {
    this.#options.cutConnections();
  }

  /** Runs what no session waits for, as a scheduled task; it ends with the power. */
  startTask(work: () => Promise<void>): void {
    const task = work().catch((error: unknown) => {
      if (!(error instanceof PowerLost)) throw error;
    });
    this.#tasks = Promise.all([this.#tasks, task]);
  }

  /** Resolves when the tasks started so far have ended. */
  async tasksEnded(): Promise<void> {
    await this.#tasks;
  }

  /** Milliseconds that `seconds` of a script's patience take here. */
  milliseconds(seconds: number): number {
    return seconds * 1000 * this.#options.patience;
  }

  /** Sleeps as long as a script would for `seconds`. */
  async pause(seconds: number): Promise<void> {
    await sleep(this.milliseconds(seconds));
    this.assertPower();
  }

  get powerLost(): boolean {
    return this.#options.power.aborted;
  }

  /** Stops whatever runs on a machine whose power is gone. */
  assertPower(): void {
    if (this.powerLost) throw new PowerLost();
  }

  async #layOutDrive(): Promise<void> {
    await this.drive.makeFolder(homeFolder);
    await this.drive.makeFolder("C:\\Program Files");
    await this.drive.makeFolder("C:\\ProgramData");
    if (!(await this.drive.isFile(hostsFilePath))) {
      await this.drive.write(hostsFilePath, "# hosts file of a rehearsal host\r\n");
    }
  }

  async #featureStaysStale(): Promise<boolean> {
    const pending = Object.values(this.#state.features).includes("InstallPending");
    for (const fault of await this.faults.all()) {
      if (pending && fault.kind === "staleFeature" && (await this.faults.take(fault))) return true;
    }
    return false;
  }
}

/** A time as the steps write it, e.g. 2026-11-21T10:00:00Z. */
export function utcSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
