/** .NET types that use the machine on which a script runs. */
import type { ScriptHost } from "../powershell/host.ts";
import { type Types, raised } from "../powershell/types.ts";
import { defineEnvironmentTypes, type WindowsEnvironment } from "./environment.ts";
import { defineFileTypes } from "./file-types.ts";
import { defineStreamTypes, type StreamHost } from "./file-streams.ts";
import { defineMutexTypes, type NamedMutexes } from "./mutexes.ts";
import { defineNameTypes, type NamedMachine } from "./network.ts";
import type { Processes, RunningProcess } from "./processes.ts";
import { defineTaskTypes, within } from "./tasks.ts";
import { defineTimeTypes } from "./time-types.ts";
import { splitArguments } from "../machine/cmd/arguments.ts";
import { toBool, toText } from "../powershell/convert.ts";
import { CustomObject, NetObject, Unsupported } from "../powershell/values.ts";

export interface ScriptMachine extends StreamHost, NamedMachine {
  readonly environment: WindowsEnvironment;
  readonly programs: Processes;
  readonly is64Bit: boolean;
  /** Of Windows, e.g. 20348. */
  readonly build: number;
  readonly mutexes: NamedMutexes;
}

export function defineMachineTypes(types: Types, machine: ScriptMachine): void {
  defineTimeTypes(types, machine);
  defineTaskTypes(types, machine.clock);
  defineFileTypes(types, machine);
  defineStreamTypes(types, machine);
  defineProcessTypes(types, machine.programs, machine);
  defineEnvironmentTypes(types, machine.environment, machine);
  defineMutexTypes(types, machine.mutexes);
  defineNameTypes(types, machine);
}

/**
 * Processes that a script starts and waits for.
 *
 * Source: https://learn.microsoft.com/dotnet/api/system.diagnostics.process.
 */
const startInfoProperties =
  "FileName Arguments WorkingDirectory UseShellExecute " +
  "RedirectStandardInput RedirectStandardOutput RedirectStandardError";

function start(processes: Processes, { error }: ScriptHost, info: CustomObject): RunningProcess {
  const text = (name: string) => toText(info.get(name) ?? null);
  const redirects = (name: string) => toBool(info.get(`RedirectStandard${name}`) ?? null);
  if (info.get("UseShellExecute") !== false || !redirects("Output")) {
    throw new Unsupported("a process of the shell, or one whose output is not redirected");
  }
  const file = processes.find(text("FileName"));
  if (file === undefined) {
    const message = "The system cannot find the file specified";
    throw raised("System.ComponentModel.Win32Exception", message);
  }
  const process = processes.start({
    file,
    args: splitArguments(text("Arguments")),
    workingDirectory: text("WorkingDirectory") || undefined,
  });
  if (!redirects("Input")) {
    process.closeInput();
  }
  if (!redirects("Error")) {
    void process.stderr.then((data) => error(data.toString()));
  }
  return process;
}

function defineProcessTypes(types: Types, processes: Processes, host: ScriptHost): void {
  const name = "System.Diagnostics.Process";
  const startInfo = types.define({
    name: `${name}StartInfo`,
    constructors: {
      "()": () =>
        startInfoProperties
          .split(" ")
          .reduce((info, each) => info.set(each, null), new CustomObject(startInfo)),
    },
  });
  type Process = NetObject<RunningProcess>;
  const writer = types.define({
    name: "System.IO.StreamWriter",
    methods: {
      "Write(string)": ({ state }: Process, text: string) => state.writeInput(Buffer.from(text)),
      "Close()": ({ state }: Process) => state.closeInput(),
    },
  });
  const reader = (data: Promise<Buffer>) =>
    new NetObject(types.get("System.IO.StreamReader"), () => data);
  types.define({
    name,
    properties: {
      ExitCode: ({ state }: Process) => state.ended,
      StandardInput: ({ state }: Process) => new NetObject(writer, state),
      StandardOutput: ({ state }: Process) => reader(state.stdout),
      StandardError: ({ state }: Process) => reader(state.stderr),
    },
    methods: {
      "WaitForExit(int)": ({ state }: Process, time: number) =>
        within(host.clock, state.ended, time),
      "Kill()": ({ state }: Process) => state.kill(),
      "Dispose()": () => undefined,
    },
    staticMethods: {
      [`Start(${name}StartInfo)`]: (info: CustomObject) =>
        new NetObject(types.get(name), start(processes, host, info)),
    },
  });
}
