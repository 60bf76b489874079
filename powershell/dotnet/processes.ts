/** Processes, mutexes and threads. */
import { toBool, toText } from "../convert.ts";
import type { Host, Mutexes, RunningProcess } from "../host.ts";
import { raised, type Types } from "../types.ts";
import { NetObject, type NetType, type Raised, type Value } from "../values.ts";
import { newLine } from "./system.ts";
import { streamOf, TextReader } from "./streams.ts";
import { defineTaskTypes, within } from "./tasks.ts";
import { millisecondsOf } from "./time.ts";

/** What a ProcessStartInfo has, and begins with. */
const startInfoDefaults = {
  FileName: "",
  Arguments: "",
  WorkingDirectory: "",
  UseShellExecute: true,
  CreateNoWindow: false,
  RedirectStandardInput: false,
  RedirectStandardOutput: false,
  RedirectStandardError: false,
};
type StartInfo = typeof startInfoDefaults;

/** A process's one text of arguments taken apart as programs of Windows do it. */
export function splitArguments(text: string): string[] {
  const args: string[] = [];
  let arg: string | undefined;
  let quoted = false;
  let closed = false;
  for (const match of text.matchAll(/(\\*)(?:(")|([ \t])|[^])|\\+$/g)) {
    const [part, slashes = "", quote, blank] = match;
    if (quote !== undefined) {
      // Only before a quote is a backslash more than itself; two quotes within quotes are one.
      const isText = slashes.length % 2 === 1 || (closed && slashes === "");
      arg = (arg ?? "") + "\\".repeat(Math.floor(slashes.length / 2)) + (isText ? '"' : "");
      closed = slashes.length % 2 === 0 && quoted;
      quoted = slashes.length % 2 === 0 ? !quoted : quoted;
      continue;
    }
    closed = false;
    if (blank !== undefined && !quoted) {
      arg = slashes === "" ? arg : (arg ?? "") + slashes;
      args.push(...(arg === undefined ? [] : [arg]));
      arg = undefined;
    } else {
      arg = (arg ?? "") + part;
    }
  }
  return arg === undefined ? args : [...args, arg];
}

interface Running {
  readonly info: StartInfo;
  readonly process: RunningProcess;
  /** Readers of its standard output and error. */
  readonly stdout: Value;
  readonly stderr: Value;
  exitCode?: number;
}

function invalid(message: string): Raised {
  return raised("System.InvalidOperationException", message);
}

function start(set: Types, host: Host, info: StartInfo): Running {
  const { RedirectStandardInput, RedirectStandardOutput, RedirectStandardError } = info;
  if (info.FileName === "") {
    throw invalid("Cannot start process because a file name has not been provided.");
  }
  const redirects = RedirectStandardInput || RedirectStandardOutput || RedirectStandardError;
  if (redirects && info.UseShellExecute) {
    throw invalid(
      "The Process object must have the UseShellExecute property set to false in order to " +
        "redirect IO streams.",
    );
  }
  const file = host.processes.find(info.FileName);
  if (file === undefined) {
    throw raised(
      "System.ComponentModel.Win32Exception",
      "The system cannot find the file specified",
    );
  }
  const inherit = !RedirectStandardInput && !RedirectStandardError;
  const process = host.processes.start({
    file,
    args: splitArguments(info.Arguments),
    inherit,
    ...(info.WorkingDirectory === "" ? {} : { workingDirectory: info.WorkingDirectory }),
  });
  // A host gives its own input together with its own standard error only: else what reads it finds its end.
  if (!RedirectStandardInput && !inherit) {
    process.closeInput();
  }
  if (!RedirectStandardOutput) {
    void process.stdout.then((data) => host.output(data.toString()));
  }
  if (!RedirectStandardError && !inherit) {
    void process.stderr.then((data) => host.error(data.toString()));
  }
  const reader = (data: Promise<Buffer>) =>
    new NetObject(set.get("System.IO.StreamReader"), new TextReader(streamOf(() => data)));
  const running: Running = {
    info: { ...info },
    process,
    stdout: reader(process.stdout),
    stderr: reader(process.stderr),
  };
  void process.ended.then((code) => {
    running.exitCode = code;
  });
  return running;
}

function defineStartInfo(set: Types): void {
  type Info = NetObject<StartInfo>;
  const make = (_: null, FileName = "", Arguments = "") =>
    new NetObject(startInfo, { ...startInfoDefaults, FileName, Arguments });
  const startInfo: NetType = set.define({
    name: "System.Diagnostics.ProcessStartInfo",
    properties: Object.fromEntries(
      Object.entries(startInfoDefaults).map(([name, initial]) => [
        name,
        [
          (self: Info) => self.state[name as keyof StartInfo],
          (self: Info, value: Value) => {
            const to = typeof initial === "string" ? toText(value) : toBool(value);
            Object.assign(self.state, { [name]: to });
          },
        ] as const,
      ]),
    ),
    constructors: { "()": make, "(string)": make, "(string, string)": make },
    unsupported: [
      ...["Environment", "EnvironmentVariables", "StandardOutputEncoding", "Verb", "UserName"],
      ...["StandardErrorEncoding", "WindowStyle", "Password", "Domain", "LoadUserProfile"],
      ...["ErrorDialog", "ArgumentList"],
    ],
  });
}

function defineProcess(set: Types, host: Host): void {
  type Process = NetObject<Running>;
  type Writer = NetObject<RunningProcess>;
  const close = (self: Writer) => self.state.closeInput();
  const writer = set.define({
    name: "System.IO.StreamWriter",
    methods: {
      "Write(string)": (self: Writer, text: string) => self.state.writeInput(Buffer.from(text)),
      "WriteLine(string)": (self: Writer, text: string) =>
        self.state.writeInput(Buffer.from(text + newLine(host))),
      "Flush()": () => undefined,
      "Close()": close,
      "Dispose()": close,
    },
    unsupported: ["AutoFlush", "BaseStream", "NewLine", "Encoding"],
  });
  const needs = (isRedirected: boolean, stream: string) => {
    if (!isRedirected) {
      throw invalid(`${stream} has not been redirected or the process hasn't started yet.`);
    }
  };
  const wait = async ({ state }: Process, milliseconds = -1) =>
    (await within(host.clock, state.process.ended, milliseconds)) !== undefined;
  const run = (info: StartInfo) => new NetObject(type, start(set, host, info));
  const runProgram = (_: null, FileName: string, Arguments = "") =>
    run({ ...startInfoDefaults, FileName, Arguments });
  const type: NetType = set.define({
    name: "System.Diagnostics.Process",
    interfaces: ["System.IDisposable"],
    properties: {
      Id: ({ state }: Process) => state.process.id,
      HasExited: ({ state }: Process) => state.exitCode !== undefined,
      ExitCode: ({ state }: Process) => {
        if (state.exitCode === undefined) {
          throw invalid("Process must exit before requested information can be determined.");
        }
        return state.exitCode;
      },
      StandardInput: ({ state }: Process) => {
        needs(state.info.RedirectStandardInput, "StandardIn");
        return new NetObject(writer, state.process);
      },
      StandardOutput: ({ state }: Process) => {
        needs(state.info.RedirectStandardOutput, "StandardOut");
        return state.stdout;
      },
      StandardError: ({ state }: Process) => {
        needs(state.info.RedirectStandardError, "StandardError");
        return state.stderr;
      },
    },
    methods: {
      "WaitForExit()": async (self: Process) => {
        await wait(self);
      },
      "WaitForExit(int)": wait,
      "Kill()": ({ state: { exitCode, process } }: Process) => {
        if (exitCode !== undefined) {
          const id = String(process.id);
          throw invalid(`Cannot process request because the process (${id}) has exited.`);
        }
        process.kill();
      },
      "Close()": () => undefined,
      "Dispose()": () => undefined,
    },
    staticMethods: {
      "Start(System.Diagnostics.ProcessStartInfo)": (_: null, info: NetObject<StartInfo>) =>
        run(info.state),
      "Start(string)": runProgram,
      "Start(string, string)": runProgram,
    },
    unsupported: [
      ...["StartInfo", "ProcessName", "MainModule", "StartTime", "ExitTime", "Handle", "Path"],
      ...["Modules", "Threads", "Responding", "SessionId", "WorkingSet64"],
    ],
  });
}

/** Mutexes of a script that is alone on its machine. */
function ownMutexes(): Mutexes {
  return { enter: () => Promise.resolve("entered"), leave: () => undefined };
}

function defineMutex(set: Types, host: Host): void {
  interface State {
    readonly name: string;
    /** How often this script has it. */
    held: number;
  }
  type Mutex = NetObject<State>;
  const mutexes = host.mutexes ?? ownMutexes();
  let unnamed = 0;
  const wait = async ({ state }: Mutex, milliseconds: number) => {
    const result = state.held > 0 ? "entered" : await mutexes.enter(state.name, milliseconds);
    state.held += result === "busy" ? 0 : 1;
    if (result === "abandoned") {
      throw raised(
        "System.Threading.AbandonedMutexException",
        "The wait completed due to an abandoned mutex.",
      );
    }
    return result === "entered";
  };
  const make = async (_: null, isOwned = false, name: string | null = null) => {
    unnamed += 1;
    const mutex: Mutex = new NetObject(type, {
      name: name ?? `unnamed ${String(unnamed)}`,
      held: 0,
    });
    if (isOwned) {
      await wait(mutex, 0);
    }
    return mutex;
  };
  const type: NetType = set.define({
    name: "System.Threading.Mutex",
    interfaces: ["System.IDisposable"],
    methods: {
      "WaitOne()": (self: Mutex) => wait(self, -1),
      "WaitOne(int)": wait,
      "WaitOne(timespan)": (self: Mutex, span: Value) => wait(self, millisecondsOf(span)),
      "ReleaseMutex()": ({ state }: Mutex) => {
        if (state.held === 0) {
          throw raised(
            "System.ApplicationException",
            "Object synchronization method was called from an unsynchronized block of code.",
          );
        }
        state.held -= 1;
        if (state.held === 0) {
          mutexes.leave(state.name);
        }
      },
      "Close()": () => undefined,
      "Dispose()": () => undefined,
    },
    constructors: { "()": make, "(bool)": make, "(bool, string)": make },
    unsupported: ["Handle", "SafeWaitHandle"],
  });
  set.define({
    name: "System.Threading.Thread",
    staticMethods: {
      "Sleep(int)": (_: null, milliseconds: number) => host.clock.sleep(milliseconds),
      "Sleep(timespan)": (_: null, span: Value) => host.clock.sleep(millisecondsOf(span)),
    },
  });
}

/** Also the types of tasks, of which readers make some. */
export function defineProcessTypes(set: Types, host: Host): void {
  defineTaskTypes(set, host);
  defineStartInfo(set);
  defineProcess(set, host);
  defineMutex(set, host);
}
