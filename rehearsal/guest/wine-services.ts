import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Drive } from "../host/drive.ts";
import type { ServiceProcess } from "./service-plan.ts";
import { type StartProgram, killGroup } from "./wine-process.ts";

/** Programs that run as services, by the service's name. A service lives while all of its processes do. */
export class WineServices {
  readonly #running = new Map<string, readonly ChildProcess[]>();

  constructor(
    private readonly drive: Drive,
    private readonly startProgram: StartProgram,
  ) {}

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  /** Starts the service's processes; returns when they exist. */
  async start(
    name: string,
    processes: readonly ServiceProcess[],
    path: readonly string[],
    environment: readonly string[],
  ): Promise<void> {
    if (this.isRunning(name)) throw new Error(`the service ${name} runs already`);
    const children: ChildProcess[] = [];
    this.#running.set(name, children);
    try {
      for (const each of processes) {
        const child = await this.#spawn(each, path, environment);
        children.push(child);
        child.once("exit", () => this.#end(name, children));
      }
    } catch (error) {
      this.#end(name, children);
      throw error;
    }
  }

  /** Ends the service's processes and waits until they are gone. */
  async stop(name: string): Promise<void> {
    const children = this.#running.get(name) ?? [];
    const gone = children
      .filter((child) => child.exitCode === null && child.signalCode === null)
      .map((child) => once(child, "exit"));
    this.#end(name, children);
    await Promise.all(gone);
  }

  #end(name: string, children: readonly ChildProcess[]): void {
    if (this.#running.get(name) === children) this.#running.delete(name);
    for (const child of children) {
      if (child.exitCode === null && child.signalCode === null) killGroup(child);
    }
  }

  async #spawn(
    each: ServiceProcess,
    path: readonly string[],
    environment: readonly string[],
  ): Promise<ChildProcess> {
    const log = each.logFile === undefined ? undefined : await this.#openLog(each.logFile);
    try {
      const output = log?.fd ?? "ignore";
      const cwd = this.drive.root;
      const child = this.startProgram(each.exe, each.args, {
        cwd,
        path,
        environment,
        stdio: ["ignore", output, output],
      });
      await once(child, "spawn");
      return child;
    } finally {
      await log?.close();
    }
  }

  async #openLog(file: string): Promise<Awaited<ReturnType<typeof open>>> {
    const target = await this.drive.resolve(file);
    await mkdir(dirname(target), { recursive: true });
    return open(target, "a");
  }
}
