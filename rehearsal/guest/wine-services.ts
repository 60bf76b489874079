import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Drive } from "../machine/drive.ts";
import type { StartOptions } from "../machine/programs.ts";
import { type StartProgram, killGroup } from "./wine-process.ts";

interface ServiceProcess {
  readonly exe: string;
  readonly args: readonly string[];
  /** Windows path of the file for its output. Undefined drops the output. */
  readonly logFile: string | undefined;
}

/** Created by the CRI server once it serves its pipe. */
export const criReadyFile = "C:\\rehearsal\\cri.ready";

/** The pipe that kubelet and kubeadm use: on Windows containerd serves it, here the CRI server. */
export const criPipe = "containerd-containerd";
const containerdPipe = "rehearsal-containerd";

/** Variables of programs that ask containerd itself, as `NAME=value`: ctr, which takes its usual pipe otherwise. */
export const containerdAddress = `CONTAINERD_ADDRESS=\\\\.\\pipe\\${containerdPipe}`;

/**
 * The processes of a service.
 *
 * The service containerd also runs the CRI server, because containerd cannot run containers without Windows' own part.
 * The CRI server serves containerd's usual pipe, and containerd.exe another one. The CRI server gets the boot time, from
 * which it knows that pods of an earlier boot have ended.
 */
export function serviceProcesses(
  exe: string,
  args: readonly string[],
  logFile: string | undefined,
  bootTime: Date,
): readonly ServiceProcess[] {
  if (!/(^|[\\/])containerd\.exe$/i.test(exe)) return [{ exe, args, logFile }];
  // containerd.exe itself writes its --log-file only as a real service.
  const ownLog = args.includes("--log-file") ? args[args.indexOf("--log-file") + 1] : undefined;
  return [
    {
      exe,
      args: [...args, "--address", `\\\\.\\pipe\\${containerdPipe}`],
      logFile: logFile ?? ownLog,
    },
    {
      exe: "C:\\rehearsal\\rehearsal-cri.exe",
      args: [
        `-listen=${criPipe}`,
        `-containerd=${containerdPipe}`,
        "-state=C:\\rehearsal\\cri.json",
        `-ready=${criReadyFile}`,
        // Images of HostProcess containers that really run; the same as in rehearsal/cri/programs.go.
        "-images=C:\\rehearsal\\images",
        `-boot=${bootTime.toISOString()}`,
      ],
      logFile: "C:\\var\\log\\containerd\\rehearsal-cri.log",
    },
  ];
}

/** Runs services under Wine. A service runs as long as all of its processes do: if one ends, the others are killed. */
export class WineServices {
  readonly #running = new Map<string, readonly ChildProcess[]>();

  constructor(
    private readonly drive: Drive,
    private readonly startProgram: StartProgram,
  ) {}

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  async start(
    name: string,
    processes: readonly ServiceProcess[],
    settings: StartOptions,
  ): Promise<void> {
    if (this.isRunning(name)) throw new Error(`the service ${name} runs already`);
    const children: ChildProcess[] = [];
    this.#running.set(name, children);
    try {
      for (const each of processes) {
        const child = await this.#spawn(each, settings);
        children.push(child);
        child.once("exit", () => this.#end(name, children));
      }
    } catch (error) {
      this.#end(name, children);
      throw error;
    }
  }

  async stop(name: string): Promise<void> {
    const children = this.#running.get(name) ?? [];
    const gone = children.filter(isAlive).map((child) => once(child, "exit"));
    this.#end(name, children);
    await Promise.all(gone);
  }

  #end(name: string, children: readonly ChildProcess[]): void {
    if (this.#running.get(name) === children) this.#running.delete(name);
    for (const child of children.filter(isAlive)) killGroup(child);
  }

  async #spawn(
    { exe, args, logFile }: ServiceProcess,
    settings: StartOptions,
  ): Promise<ChildProcess> {
    const file = logFile === undefined ? "/dev/null" : await this.drive.resolve(logFile);
    await mkdir(dirname(file), { recursive: true });
    const log = await open(file, "a");
    try {
      const stdio = ["ignore" as const, log.fd, log.fd];
      const child = this.startProgram(exe, args, { cwd: this.drive.root, ...settings, stdio });
      await once(child, "spawn");
      return child;
    } finally {
      await log.close();
    }
  }
}

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;
