/** Programs that scripts start. Windows' own are modelled; all others are run from the drive. */
import fs from "node:fs";
import type { ProgramOutput, Programs } from "../powershell/host.ts";
import { NotAProgram, type ProgramResult } from "../machine/programs.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";
import { findOnDrive } from "../machine/drive.ts";
import { windowsPathNames } from "../machine/windows-path.ts";
import { raised } from "../powershell/types.ts";
import type { WindowsEnvironment } from "./environment.ts";
import { sc } from "./services.ts";
import {
  certutil,
  cmd,
  curl,
  hostname,
  icacls,
  ipconfig,
  route,
  shutdown,
  takeown,
  tar,
  type SystemProgram,
  w32tm,
} from "./system-programs.ts";
import { quoteArgument } from "../machine/cmd/arguments.ts";

export interface RunningProcess {
  readonly ended: Promise<number>;
  readonly stdout: Promise<Buffer>;
  readonly stderr: Promise<Buffer>;
  writeInput(data: Uint8Array): void;
  closeInput(): void;
  kill(): void;
}

export interface Processes extends Programs {
  start(options: {
    readonly file: string;
    readonly args: readonly string[];
    readonly workingDirectory?: string;
    readonly output?: ProgramOutput | undefined;
  }): RunningProcess;
}

/** Gives a process its standard input and waits for its result. */
export async function outcome(process: RunningProcess, input: string): Promise<ProgramResult> {
  process.writeInput(Buffer.from(input));
  process.closeInput();
  const { ended, stdout, stderr } = process;
  const [exitCode, ...texts] = await Promise.all([ended, stdout, stderr]);
  const [output, errors] = texts.map(String);
  return { exitCode, stdout: output ?? "", stderr: errors ?? "" };
}

/** Programs in C:\Windows\System32, by file name in lower case. */
const systemPrograms: ReadonlyMap<string, SystemProgram> = new Map(
  Object.entries({
    ...{ certutil, sc, shutdown, curl, hostname, tar, cmd, takeown, icacls, ipconfig, route },
    w32tm,
  }).map(([name, program]) => [`${name}.exe`, program]),
);

/** Time limit for programs for which the script sets none, in seconds: almost the longest that a timer takes. */
const longest = 24 * 24 * 3600;

const systemFolder = "c:\\windows\\system32\\";

/** Machine variables that are not passed to programs, which have their own values here. */
const windowsVariables = ["ComSpec", "Path", "TEMP"];

/**
 * @param environment The variables that programs get.
 * @param changing Called before a program is started.
 * @param powerShell Runs powershell.exe.
 * @param folder The current folder.
 */
export function windowsProcesses(
  machine: WindowsMachine,
  environment: WindowsEnvironment,
  changing: (what: string) => Promise<void>,
  powerShell: SystemProgram,
  folder?: string,
): Processes {
  const { programs, drive, services } = machine;
  const isWindowsOwn = (file: string): boolean => file.toLowerCase().startsWith(systemFolder);
  // In the guest, the programs in System32 are Wine's, which must not be run in place of Windows' own.
  const systemProgram = (file: string): SystemProgram | undefined => {
    if (!isWindowsOwn(file)) return undefined;
    const name = file.slice(systemFolder.length).toLowerCase();
    return name === "windowspowershell\\v1.0\\powershell.exe"
      ? powerShell
      : systemPrograms.get(name);
  };
  const omitted = [...Object.keys(machine.sessionVariables), ...windowsVariables].map((name) =>
    name.toLowerCase(),
  );
  /** Variables besides Windows' own, as `NAME=value`. */
  const variables = (): string[] =>
    [...environment.all()]
      .filter(([name]) => !omitted.includes(name.toLowerCase()))
      .map(([name, value]) => `${name}=${value}`);
  const isFile = (path: string): boolean => {
    const found = findOnDrive(fs.realpathSync(drive.root), windowsPathNames(path));
    return fs.statSync(found, { throwIfNoEntry: false })?.isFile() ?? false;
  };
  return {
    find(name) {
      const written = name.replace(/^\.[\\/]/, "");
      const isRelative = !/^(\w:|[\\/])/.test(name);
      const folders = !/[\\/:]/.test(name)
        ? [systemFolder, ...machine.path.map(below)]
        : [isRelative ? below(folder ?? "C:") : ""];
      return folders
        .map((folder) => folder + (written.includes(".") ? written : `${written}.exe`))
        .find((path) => systemProgram(path) ?? (!isWindowsOwn(path) && isFile(path)));
    },
    run(file, args, input, output) {
      return outcome(this.start({ file, args, output }), input);
    },
    start({ file, args, workingDirectory, output }) {
      return running(machine, async (stdin, killed) => {
        await changing(`run ${[file, ...args].join(" ")}`);
        await machine.applyHostsFile();
        const program = systemProgram(file) ?? registration(file, args);
        if (program) return program(machine, args, killed, stdin);
        try {
          return await programs.run(file, args, {
            stdin,
            timeoutSeconds: longest,
            killed,
            output,
            ...(workingDirectory === undefined && folder === undefined
              ? {}
              : { cwd: workingDirectory ?? folder }),
            path: machine.path,
            startService: (name) => services.start(name),
            environment: variables(),
          });
        } catch (error) {
          throw error instanceof NotAProgram
            ? raised("System.ComponentModel.Win32Exception", error.message)
            : error;
        }
      });
    },
  };
}

function below(folder: string): string {
  return folder.endsWith("\\") ? folder : `${folder}\\`;
}

/** A program that starts once its input is complete. */
function running(
  { time }: WindowsMachine,
  run: (stdin: string, killed: AbortSignal) => Promise<ProgramResult>,
): RunningProcess {
  const kill = new AbortController();
  let begin: (stdin: string) => void = () => undefined;
  const input = new Promise<string>((resolve) => {
    begin = resolve;
  });
  const written: Uint8Array[] = [];
  const result = input.then((stdin) => time.busy(() => run(stdin, kill.signal)));
  const stream = (name: "stdout" | "stderr"): Promise<Buffer> => {
    const text = result.then((ended) => Buffer.from(ended[name]));
    text.catch(() => undefined); // reported by `ended`
    return text;
  };
  const ended = result.then(({ exitCode }) => exitCode);
  ended.catch(() => undefined); // reported to who waits for it
  return {
    ended,
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    writeInput: (data) => void written.push(data),
    closeInput: () => {
      begin(Buffer.concat(written).toString());
    },
    kill: () => {
      kill.abort();
    },
  };
}

/**
 * Programs that register themselves with the service manager. The model does this for them, because Wine's service
 * manager can't be the parent of a Go service.
 *
 * Source: https://github.com/containerd/containerd/blob/v2.1.0/cmd/containerd/command/service_windows.go.
 *
 * @returns a model of the program, or undefined if it does not register itself.
 */
function registration(exe: string, args: readonly string[]): SystemProgram | undefined {
  const flag = "--register-service";
  if (!exe.toLowerCase().endsWith("\\containerd.exe") || !args.includes(flag)) return undefined;
  return async ({ services }) => {
    if (services.get("containerd")) {
      const stderr = "containerd: The specified service already exists.\n";
      return { exitCode: 1, stdout: "", stderr };
    }
    const words = [exe, "--run-service", ...args.filter((word) => word !== flag)];
    await services.configure("containerd", {
      commandLine: words.map(quoteArgument).join(" "),
      displayName: "Containerd",
      description: "Container runtime",
      startType: "auto",
      dependsOn: [],
      // On Windows only twice a day, which is not modelled.
      restarts: true,
    });
    return { exitCode: 0, stdout: "", stderr: "" };
  };
}
