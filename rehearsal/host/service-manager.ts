import { toText } from "../../powershell/convert.ts";
import { PsArray } from "../../powershell/values.ts";
import type { RegistryKey } from "../windows/registry.ts";
import type { Drive } from "./drive.ts";
import type { WindowsPrograms } from "./programs.ts";
import { type WorkingProgram, workingProgram } from "./service-command.ts";
import type { HostState, Service } from "./state.ts";
import { formatWindowsPath, windowsPathNames } from "./windows-path.ts";

const servicesKey = "SYSTEM\\CurrentControlSet\\Services";

/** What the service manager refuses. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
}

/** The model of Windows' service manager: its entries are the state's, its processes the programs'. */
export class ServiceManager {
  readonly #drive: Drive;
  readonly #programs: WindowsPrograms;
  readonly #state: HostState;
  readonly #save: () => Promise<void>;
  readonly #registry: RegistryKey;
  readonly #path: () => readonly string[];
  readonly #started: (program: WorkingProgram) => Promise<void>;
  /** Services that were started and not stopped since: one of them that does not run has ended by itself. */
  readonly #wanted = new Set<string>();
  readonly #starting = new Map<string, Promise<void>>();

  constructor(
    drive: Drive,
    programs: WindowsPrograms,
    state: HostState,
    save: () => Promise<void>,
    registry: RegistryKey,
    /** Folders on the machine's PATH besides Windows' own. */
    path: () => readonly string[],
    /** Called when a service's program has been started. */
    started: (program: WorkingProgram) => Promise<void>,
  ) {
    this.#started = started;
    this.#path = path;
    this.#registry = registry;
    this.#drive = drive;
    this.#programs = programs;
    this.#state = state;
    this.#save = save;
  }

  get(name: string): Service | undefined {
    return this.#state.services[name];
  }

  names(): string[] {
    return Object.keys(this.#state.services);
  }

  async isRunning(name: string): Promise<boolean> {
    return this.get(name) !== undefined && (await this.#programs.isServiceRunning(name));
  }

  /** Whether a service that runs was started from this file: Windows lets nobody overwrite or delete it. */
  async runs(path: string): Promise<boolean> {
    const wanted = windowsPathNames(path).join("\\").toLowerCase();
    for (const [name, service] of Object.entries(this.#state.services)) {
      const files = workingProgram(service.commandLine).files.map((file) =>
        windowsPathNames(file).join("\\").toLowerCase(),
      );
      if (files.includes(wanted) && (await this.isRunning(name))) return true;
    }
    return false;
  }

  /** Variables a service gets besides the machine's, as `NAME=value`. */
  environment(name: string): readonly string[] {
    const value = this.#registry.find(`${servicesKey}\\${name}`)?.get("Environment");
    return value instanceof PsArray ? value.items.map(toText) : [];
  }

  /** Creates or changes a service; whether that changed anything. A running one keeps running as it is. */
  async configure(name: string, service: Service): Promise<boolean> {
    const before = JSON.stringify(this.get(name));
    if (before === JSON.stringify(service)) return false;
    this.#state.services[name] = service;
    this.#registry.make(`${servicesKey}\\${name}`);
    await this.#save();
    return true;
  }

  /** Changes some settings of a service that exists; whether that changed anything. */
  async change(name: string, settings: Partial<Service>): Promise<boolean> {
    return this.configure(name, { ...this.#existing(name), ...settings });
  }

  /** Starts a service and before it those it depends on; nothing happens when it runs. */
  async start(name: string): Promise<void> {
    const service = this.#existing(name);
    const under = this.#starting.get(name);
    if (under) return under;
    const start = this.#start(name, service).finally(() => this.#starting.delete(name));
    this.#starting.set(name, start);
    return start;
  }

  /** Stops a service and before it those that depend on it. */
  async stop(name: string): Promise<void> {
    this.#existing(name);
    for (const [other, service] of Object.entries(this.#state.services)) {
      if (service.dependsOn.includes(name) && (await this.#programs.isServiceRunning(other))) {
        await this.stop(other);
      }
    }
    this.#wanted.delete(name);
    await this.#programs.stopService(name);
  }

  /** Stops a service and takes it off the list; whether it was there. */
  async remove(name: string): Promise<boolean> {
    if (!this.get(name)) return false;
    await this.stop(name);
    delete this.#state.services[name];
    this.#registry.remove(`${servicesKey}\\${name}`);
    await this.#save();
    return true;
  }

  /** Starts again what has ended by itself, as the services' recovery settings say. */
  async restartEnded(report: (message: string) => void): Promise<void> {
    for (const name of this.#wanted) {
      if (!this.get(name)?.restarts || (await this.#programs.isServiceRunning(name))) continue;
      if (!this.#wanted.has(name)) continue; // stopped meanwhile
      report(`service ${name} has ended by itself; starting it again`);
      await this.#startReporting(name, report);
    }
  }

  /** Starts what starts with Windows; one that fails is reported and does not keep the others from starting. */
  async startAutomatic(report: (message: string) => void): Promise<void> {
    for (const name of this.automatic()) await this.#startReporting(name, report);
  }

  /** Services that start with Windows. */
  automatic(): string[] {
    return this.names().filter((name) => this.get(name)?.startType === "auto");
  }

  async #start(name: string, service: Service): Promise<void> {
    if (service.startType === "disabled") {
      throw new ServiceError(`Service '${name}' cannot be started because it is disabled.`);
    }
    for (const needed of service.dependsOn) await this.start(needed);
    this.#wanted.add(name);
    if (await this.#programs.isServiceRunning(name)) return;
    const program = await this.#checkedProgram(name, service);
    await this.#programs.startService(name, program.exe, program.args, {
      path: this.#path(),
      environment: this.environment(name),
      ...(program.logFile === undefined ? {} : { logFile: program.logFile }),
    });
    await this.#started(program);
  }

  async #startReporting(name: string, report: (message: string) => void): Promise<void> {
    try {
      await this.start(name);
    } catch (error) {
      report(`service ${name} did not start: ${String(error)}`);
    }
  }

  #existing(name: string): Service {
    const service = this.get(name);
    if (!service) throw new ServiceError(`Cannot find any service with service name '${name}'.`);
    return service;
  }

  async #checkedProgram(name: string, service: Service): Promise<WorkingProgram> {
    const program = workingProgram(service.commandLine);
    for (const file of program.files) {
      if (await this.#drive.isFile(file)) continue;
      const shown = formatWindowsPath(windowsPathNames(file));
      throw new ServiceError(
        `Service '${name}' cannot be started: the system cannot find the file specified (${shown}).`,
      );
    }
    return program;
  }
}
