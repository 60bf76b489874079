/**
 * powershell.exe of a modelled machine: the interpreter with the machine's drive, registry, clock and programs, and the
 * modelled cmdlets that only Windows has.
 */
import fs from "node:fs";
import { chmod } from "node:fs/promises";
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import { shown } from "../powershell/cmdlets/objects.ts";
import { toText } from "../powershell/convert.ts";
import { isNull, Unsupported } from "../powershell/values.ts";
import { newInterpreter } from "../powershell/new-interpreter.ts";
import { ioError } from "./io-errors.ts";
import type { Clock } from "../powershell/host.ts";
import type { Interpreter } from "../powershell/interpreter.ts";
import { nodeFiles } from "./linux-files.ts";
import { types as coreTypes, Types } from "../powershell/types.ts";
import { DiskFullError } from "../machine/drive.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";
import { cimCmdlets } from "./cim.ts";
import { clockCmdlets } from "./clock.ts";
import { compilerCmdlets } from "./compiler.ts";
import { computerNameCmdlets } from "./computer-name.ts";
import { defenderCmdlets } from "./defender.ts";
import { dnsCmdlets } from "./dns.ts";
import { windowsFiles, volumeCmdlets } from "./drives.ts";
import { environmentItems, windowsEnvironment } from "./environment.ts";
import { eventCmdlets } from "./events.ts";
import { fileItems } from "./file-items.ts";
import { featureCmdlets } from "./features.ts";
import { firewallCmdlets } from "./firewall.ts";
import { hostNetworkCmdlets, hostNetworkCommands, isHostNetworkModule } from "./host-networks.ts";
import { defineHyperVTypes, hyperVCmdlets, hyperVCommand, isMachineFile } from "./hyper-v.ts";
import {
  computerInfoCmdlets,
  defineComputerInfo,
  operatingSystemClasses,
} from "./operating-system.ts";
import { defineNetworkTypes } from "./network.ts";
import { cimFailure } from "./objects.ts";
import { defineListedProcess, processClass, processCmdlets } from "./process-list.ts";
import { defineMachineTypes, type ScriptMachine } from "./machine-types.ts";
import { fileOfPowerShell } from "../machine/cmd/powershell-arguments.ts";
import { outcome, type Processes, windowsProcesses } from "./processes.ts";
import {
  defineRegistryTypes,
  machineVariables,
  registryCmdlets,
  RegistryItems,
} from "./registry.ts";
import { routeCmdlets } from "./routes.ts";
import { defineWebTypes, webCmdlets } from "./web.ts";
import { scheduledTaskCmdlets } from "./scheduled-tasks.ts";
import { defineAccessControl, defineSecurityTypes } from "./security.ts";
import { defineServiceTypes, serviceClass, serviceCmdlets } from "./services.ts";
import type { SystemProgram } from "./system-programs.ts";

/** ERROR_DISK_FULL, as HRESULT. */
const diskFull = -2147024784;

interface ScriptConsole extends Pick<ScriptMachine, "output" | "error" | "input"> {
  /** The session's variables besides the machine's. Default: those of an SSH session. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The current folder. Default: C:\\. */
  readonly folder?: string;
  /** Aborted when the console is closed: the script ends, with the programs that it runs. Default: never. */
  readonly closed?: AbortSignal;
  /** Runs a command of cmd.exe in this console. Default: there is no cmd.exe for commands. Returns the exit code. */
  readonly cmd?: (command: string) => Promise<number>;
}

/** The console of commands that run without a session. */
const noConsole: ScriptConsole = {
  output: () => undefined,
  error: () => undefined,
  input: () => Promise.resolve(Buffer.alloc(0)),
};

/** Runs scripts of a machine as powershell.exe does. */
export type ScriptRunner = Pick<Interpreter, "runFile" | "runCommand">;

/** The model of a machine's PowerShell. */
export interface ModelledShell {
  readonly machine: WindowsMachine;
  readonly interpreter: Interpreter;
  /** The cmdlets that only Windows has. */
  readonly cmdlets: readonly Cmdlet[];
}

/** What runs the scripts: the interpreter. Tests put a real PowerShell in its place, which asks the model. */
export const scriptRunner: { of: (model: ModelledShell) => ScriptRunner } = {
  of: ({ interpreter }) => interpreter,
};

/**
 * @param changing Called before each change of the machine, e.g. with `write C:\k\config`. Throws to prevent the change.
 */
export function windowsPowerShell(
  machine: WindowsMachine,
  console: ScriptConsole,
  changing: (what: string) => Promise<void>,
): ScriptRunner {
  const {
    drive,
    registry,
    services,
    state: { hyperV },
  } = machine;
  const change = async (what: string): Promise<void> => {
    await changing(what);
    machine.assertPower();
  };
  const disk = nodeFiles("/", machine.recentWrites);
  const files = windowsFiles(new Map([["C", fs.realpathSync(drive.root)]]), disk, {
    folder: console.folder,
    async changing(what) {
      await change(what);
      if (drive.full && /^(write|make)/.test(what)) {
        throw ioError(new DiskFullError().message, diskFull);
      }
    },
    isLocked: (path) => machine.lockedFiles.has(path),
    isInUse: async (path, how) =>
      machine.openFiles.has(path) ||
      (hyperV !== undefined && isMachineFile(hyperV, path)) ||
      (how !== "rename" && (machine.runningPrograms.has(path) || (await services.runs(path)))),
    async moved(from, to) {
      // A running program continues under its new name.
      if (machine.runningPrograms.delete(from) || (await services.runs(from))) {
        machine.runningPrograms.add(to);
      }
    },
    isPipeServed: (name) => machine.programs.isPipeServed(name),
  });
  // Saves changes that are not made by a watched cmdlet.
  const keepRegistry = () => {
    machine.save().catch(() => undefined); // a problem shows again at the next save
  };
  const variables = machineVariables(registry, keepRegistry);
  const environment = windowsEnvironment(
    { ...Object.fromEntries(variables.all()), ...machine.sessionVariables, ...console.variables },
    variables,
  );
  const host: ScriptMachine = {
    ...console,
    files,
    environment,
    clock: machineClock(machine, console.closed),
    resolve: (name) => machine.programs.resolve(name),
    programs: withConsole(
      windowsProcesses(machine, environment, change, powerShellProgram(changing), console.folder),
      console,
    ),
    computerName: machine.computerName,
    is64Bit: machine.version.is64Bit,
    build: machine.version.build,
    mutexes: machine.mutexes,
  };
  const types = new Types(coreTypes);
  const items = new RegistryItems(registry, types, keepRegistry);
  defineRegistryTypes(types);
  defineSecurityTypes(types, machine.account);
  defineServiceTypes(types, machine, change);
  defineNetworkTypes(types, machine);
  defineWebTypes(types);
  defineComputerInfo(types);
  defineHyperVTypes(types);
  types.define({ name: cimFailure, base: "System.SystemException" });
  const cmdlets = windowsCmdlets(machine, items, change, host.programs).map((each) =>
    watched(each, machine, change),
  );
  const interpreter = newInterpreter(host, {
    types,
    version: machine.version.powerShell,
    providers: (name) => {
      switch (name) {
        case "":
          return fileItems(files, types);
        case "hklm":
          return items;
        case "env":
          return environmentItems(environment);
        default:
          return undefined;
      }
    },
    isOwnModule: (name) => isHostNetworkModule(machine, name),
    mayCall: (name) =>
      hostNetworkCommands.some((each) => each.toLowerCase() === name) ||
      (hyperV?.module !== true && hyperVCommand.test(name)),
    cmdlets,
  });
  defineMachineTypes(types, host);
  defineAccessControl(types, files, async (path, isFolder, usersRead) => {
    await change(`close ${path}`);
    await chmod(await drive.resolve(path), (isFolder ? 0o700 : 0o600) | (usersRead ? 0o055 : 0));
  });
  defineListedProcess(types, change);
  return scriptRunner.of({ machine, interpreter, cmdlets });
}

/** powershell.exe with `-File`, as a program that a script starts. */
function powerShellProgram(changing: (what: string) => Promise<void>): SystemProgram {
  return async (machine, args, closed, stdin = "") => {
    const given = fileOfPowerShell(args);
    if (given === undefined) throw new Unsupported(`powershell.exe ${args.join(" ")}`);
    let [stdout, stderr] = ["", ""];
    const console: ScriptConsole = {
      ...noConsole,
      ...(closed && { closed }),
      input: () => Promise.resolve(Buffer.from(stdin)),
      output: (text) => void (stdout += text),
      error: (text) => void (stderr += text),
    };
    const [script, ...more] = given;
    try {
      const shell = windowsPowerShell(machine, console, changing);
      const exitCode = await shell.runFile(script, more, (value) => void (stdout += shown(value)));
      return { exitCode, stdout, stderr };
    } catch (error) {
      if (!(error instanceof ConsoleClosed)) throw error;
      return { exitCode: 1, stdout, stderr };
    }
  };
}

export function windowsCmdlets(
  machine: WindowsMachine,
  items: RegistryItems,
  change: (what: string) => Promise<void>,
  programs: Pick<Processes, "find" | "start">,
): readonly Cmdlet[] {
  return [
    ...registryCmdlets(items),
    ...dnsCmdlets(machine),
    ...defenderCmdlets(machine),
    ...eventCmdlets(machine),
    ...processCmdlets(machine, programs),
    ...webCmdlets(),
    ...computerInfoCmdlets(machine),
    ...computerNameCmdlets(machine.state),
    ...clockCmdlets(machine),
    ...volumeCmdlets(machine),
    ...compilerCmdlets(machine, change),
    ...serviceCmdlets(machine),
    ...routeCmdlets(machine),
    ...hostNetworkCmdlets(machine),
    ...featureCmdlets(machine.state, machine.drive),
    ...firewallCmdlets(machine),
    ...hyperVCmdlets(machine.drive, machine.state.hyperV),
    ...scheduledTaskCmdlets(machine, (command) =>
      windowsPowerShell(machine, noConsole, () => Promise.resolve()).runCommand(
        command,
        () => undefined,
      ),
    ),
    ...cmdlets({
      // Its words are those of one array. Two, as for echo below.
      "Write-Host [-Object] <object?> [[-Second] <object?>]"(call) {
        const words = [call.get("Object"), call.get("Second")].filter((each) => each !== undefined);
        call.shell.host.output(`${words.map(toText).join(" ")}\n`);
      },
      // The alias of Write-Output, for two words.
      async "echo [[-First] <object>] [[-Second] <object>]"(call) {
        for (const word of [call.get("First"), call.get("Second")]) {
          if (word !== undefined && !isNull(word)) await call.emit(word);
        }
      },
    }),
    ...cimCmdlets({
      Win32_Process: processClass(machine),
      Win32_Service: serviceClass(machine),
      ...operatingSystemClasses(machine, items.types, { clock: machineClock(machine) }),
    }),
  ];
}

/** Has cmd.exe run commands in the console, as programs do whose output nothing takes. */
function withConsole(programs: Processes, { cmd, closed }: ScriptConsole): Processes {
  const start: Processes["start"] = (options) => {
    // A script that starts its program again when it has ended would do so without end.
    assertOpen(closed);
    const process = programs.start(options);
    closed?.addEventListener("abort", () => process.kill());
    return process;
  };
  return {
    ...programs,
    start,
    async run(file, args, input, output) {
      const [d, s, c, command = ""] = args;
      const isCommand = /\\cmd\.exe$/i.test(file) && [d, s, c].join(" ") === "/d /s /c";
      if (cmd === undefined || !isCommand) return outcome(start({ file, args, output }), input);
      return { exitCode: await cmd(command), stdout: "", stderr: "" };
    },
  };
}

/** Calls `changing` before a cmdlet changes the machine, and saves the changes. */
function watched(
  cmdlet: Cmdlet,
  machine: WindowsMachine,
  changing: (what: string) => Promise<void>,
): Cmdlet {
  const changes = !cmdlet.name.startsWith("Get-");
  return {
    ...cmdlet,
    async run(call) {
      machine.beforeCmdlet(call);
      if (changes) await changing(cmdlet.name);
      try {
        await cmdlet.run?.(call);
      } catch (error) {
        throw error instanceof DiskFullError ? ioError(error.message, diskFull) : error;
      }
      if (changes) await machine.save();
    },
  };
}

/** Thrown in a script whose console has been closed. */
export class ConsoleClosed extends Error {
  override readonly name = "ConsoleClosed";
}

function assertOpen(console: AbortSignal | undefined): void {
  if (console?.aborted) throw new ConsoleClosed("the console has been closed");
}

/** The scripts' clock. Waits end if the power fails, or the console is closed. */
function machineClock(machine: WindowsMachine, closed?: AbortSignal): Clock {
  const { programs, time } = machine;
  return {
    now: () => programs.now().getTime(),
    elapsed: () => time.elapsed(),
    async sleep(milliseconds, cancelled) {
      const ends = [cancelled, closed].filter((each) => each !== undefined);
      await machine.sleep(milliseconds / 1000, ends.length > 0 ? AbortSignal.any(ends) : undefined);
      assertOpen(closed);
    },
    offset: () => 0,
  };
}
