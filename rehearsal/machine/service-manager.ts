import { toText } from "../powershell/convert.ts";
import { PsArray } from "../powershell/values.ts";
import { makePodNetwork, type PodNetworkMachine } from "../windows/hns/pod-network.ts";
import { splitArguments } from "./cmd/arguments.ts";
import type { WindowsPrograms } from "./programs.ts";
import type { Service } from "./state.ts";
import { formatWindowsPath, windowsPathNames } from "./windows-path.ts";

const servicesKey = "SYSTEM\\CurrentControlSet\\Services";

export class ServiceError extends Error {
  override readonly name = "ServiceError";
}

/** What services need of their machine. */
interface ServicesMachine extends PodNetworkMachine {
  readonly programs: Pick<WindowsPrograms, "startService" | "stopService" | "isServiceRunning">;
  readonly path: readonly string[];
  newProcessId(): number;
}

/** Models Windows' service manager. Its entries are in the host's state; `programs` runs the processes. */
export class ServiceManager {
  /** Services that were started and not stopped. If one of them is not running, it has ended by itself. */
  readonly #wanted = new Set<string>();
  readonly #starting = new Map<string, Promise<void>>();
  readonly #processIds = new Map<string, number>();

  constructor(private readonly machine: ServicesMachine) {}

  get(name: string): Service | undefined {
    return this.machine.state.services[name];
  }

  names(): string[] {
    return Object.keys(this.machine.state.services);
  }

  async isRunning(name: string): Promise<boolean> {
    return this.get(name) !== undefined && (await this.machine.programs.isServiceRunning(name));
  }

  /** Whether a running service was started from this file. Windows then refuses to overwrite or delete it. */
  async runs(path: string): Promise<boolean> {
    const wanted = windowsPathNames(path).join("\\").toLowerCase();
    for (const [name, service] of Object.entries(this.machine.state.services)) {
      const files = workingProgram(service.commandLine).files.map((file) =>
        windowsPathNames(file).join("\\").toLowerCase(),
      );
      if (files.includes(wanted) && (await this.isRunning(name))) return true;
    }
    return false;
  }

  /** Of its newest process; undefined if it has not been started. */
  processId(name: string): number | undefined {
    return this.#processIds.get(name);
  }

  /** Variables of a service besides the machine's, as `NAME=value`. */
  environment(name: string): readonly string[] {
    const value = this.machine.state.registry.find(`${servicesKey}\\${name}`)?.get("Environment");
    return value instanceof PsArray ? value.items.map(toText) : [];
  }

  /** Creates a service or replaces its settings. A running service is not affected until it restarts. */
  async configure(name: string, service: Service): Promise<void> {
    this.machine.state.services[name] = service;
    this.machine.state.registry.make(`${servicesKey}\\${name}`);
    await this.machine.save();
  }

  async change(name: string, settings: Partial<Service>): Promise<void> {
    await this.configure(name, { ...this.#existing(name), ...settings });
  }

  /** Starts a service after its dependencies. Does nothing if it is running. */
  async start(name: string): Promise<void> {
    const service = this.#existing(name);
    const starting = this.#starting.get(name);
    if (starting) return starting;
    const start = this.#start(name, service).finally(() => this.#starting.delete(name));
    this.#starting.set(name, start);
    return start;
  }

  /** Stops a service after the services that depend on it. */
  async stop(name: string): Promise<void> {
    this.#existing(name);
    const { programs, state } = this.machine;
    for (const [other, { dependsOn }] of Object.entries(state.services)) {
      if (dependsOn.includes(name) && (await programs.isServiceRunning(other))) {
        await this.stop(other);
      }
    }
    this.#wanted.delete(name);
    await programs.stopService(name);
  }

  async remove(name: string): Promise<void> {
    if (!this.get(name)) return;
    await this.stop(name);
    delete this.machine.state.services[name];
    this.machine.state.registry.remove(`${servicesKey}\\${name}`);
    await this.machine.save();
  }

  /** Restarts services that have ended by themselves, if their recovery settings say so. */
  async restartEnded(report: (message: string) => void): Promise<void> {
    for (const name of this.#wanted) {
      if (!this.get(name)?.restarts) continue;
      if (await this.machine.programs.isServiceRunning(name)) continue;
      if (!this.#wanted.has(name)) continue; // stopped meanwhile
      report(`service ${name} has ended by itself; starting it again`);
      await this.#startReporting(name, report);
    }
  }

  /** Starts the automatic services. One that fails is reported, and the others are started all the same. */
  async startAutomatic(report: (message: string) => void): Promise<void> {
    for (const name of this.names().filter((each) => this.get(each)?.startType === "auto")) {
      await this.#startReporting(name, report);
    }
  }

  async #start(name: string, service: Service): Promise<void> {
    if (service.startType === "disabled") {
      throw new ServiceError(`Service '${name}' cannot be started because it is disabled.`);
    }
    for (const needed of service.dependsOn) await this.start(needed);
    this.#wanted.add(name);
    const { programs, path } = this.machine;
    if (await programs.isServiceRunning(name)) return;
    const { exe, args, logFile } = await this.#checkedProgram(name, service);
    this.#processIds.set(name, this.machine.newProcessId());
    const environment = this.environment(name);
    await programs.startService(name, exe, args, {
      ...{ path, environment, logFile },
      makePodNetwork: () => makePodNetwork(this.machine, exe, args),
    });
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
      if (await this.machine.drive.isFile(file)) continue;
      const shown = formatWindowsPath(windowsPathNames(file));
      throw new ServiceError(
        `Service '${name}' cannot be started: the system cannot find the file specified (${shown}).`,
      );
    }
    return program;
  }
}

/** The program behind a service's command line, without its wrappers. */
interface WorkingProgram {
  readonly exe: string;
  readonly args: readonly string[];
  /** The file to which kube-log-runner would write the program's output. */
  readonly logFile: string | undefined;
  /** All executables that Windows would need, including the wrappers. */
  readonly files: readonly string[];
}

/** Arguments that tell a program that it runs as a Windows service. */
const serviceFlags = ["--windows-service", "--run-service"];

/** Removes wrappers and flags that need Windows' own service manager: Wine's can't be the parent of a Go service. */
export function workingProgram(commandLine: string): WorkingProgram {
  const words = splitArguments(commandLine);
  const files: string[] = [];
  let logFile: string | undefined;
  let index = 0;
  // The service that wraps flanneld, which is not a native service (lib/FlanneldHost.ps1).
  if (/(^|[\\/])flanneld-service\.exe$/i.test(words[0] ?? "")) {
    files.push(words[index++] ?? "");
  }
  if (/(^|[\\/])kube-log-runner(\.exe)?$/i.test(words[index] ?? "")) {
    files.push(words[index] ?? "");
    for (index++; words[index]?.startsWith("-"); index++) {
      logFile = /^--?log-file=(.+)$/.exec(words[index] ?? "")?.[1] ?? logFile;
    }
  }
  const exe = words[index];
  if (exe === undefined)
    throw new Error(`The service's command line names no program: ${commandLine}`);
  files.push(exe);
  const args = words
    .slice(index + 1)
    .filter((word) => !serviceFlags.includes(word.replace(/=true$/, "")));
  return { exe, args, logFile, files };
}
