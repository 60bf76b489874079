/** Processes, mutexes and threads. */
import { toText } from "../convert.ts";
import type { Host, Mutexes, RunningProcess } from "../host.ts";
import { raised, type Types } from "../types.ts";
import { NetObject, type NetType, type Raised, type Value } from "../values.ts";
import { streamOf, TextReader } from "./streams.ts";
import { defineTaskTypes, within } from "./tasks.ts";
import { millisecondsOf } from "./time.ts";

interface StartInfo {
  FileName: string;
  Arguments: string;
  WorkingDirectory: string;
  UseShellExecute: boolean;
  CreateNoWindow: boolean;
  RedirectStandardInput: boolean;
  RedirectStandardOutput: boolean;
  RedirectStandardError: boolean;
}

function newStartInfo(file = "", args = ""): StartInfo {
  return {
    FileName: file,
    Arguments: args,
    WorkingDirectory: "",
    UseShellExecute: true,
    CreateNoWindow: false,
    RedirectStandardInput: false,
    RedirectStandardOutput: false,
    RedirectStandardError: false,
  };
}

/** A process's one text of arguments taken apart as programs of Windows do it. */
export function splitArguments(text: string): string[] {
  const args: string[] = [];
  let at = 0;
  const skipBlanks = () => {
    while (/[ \t]/.test(text.charAt(at))) {
      at += 1;
    }
  };
  for (skipBlanks(); at < text.length; skipBlanks()) {
    let arg = "";
    let quoted = false;
    while (at < text.length && (quoted || !/[ \t]/.test(text.charAt(at)))) {
      const slashes = /^\\*/.exec(text.slice(at))?.[0].length ?? 0;
      at += slashes;
      if (text.charAt(at) !== '"') {
        arg += "\\".repeat(slashes);
        if (slashes === 0) {
          arg += text.charAt(at);
          at += 1;
        }
        continue;
      }
      // Only before a quote is a backslash more than itself.
      arg += "\\".repeat(Math.floor(slashes / 2));
      at += 1;
      if (slashes % 2 === 1) {
        arg += '"';
      } else if (quoted && text.charAt(at) === '"') {
        arg += '"';
        at += 1;
      } else {
        quoted = !quoted;
      }
    }
    args.push(arg);
  }
  return args;
}

interface Running {
  readonly info: StartInfo;
  readonly process: RunningProcess;
  exitCode?: number;
}

function invalid(message: string): Raised {
  return raised("System.InvalidOperationException", message, { hresult: -2146233079 });
}

function start(host: Host, info: StartInfo): Running {
  const redirects =
    info.RedirectStandardInput || info.RedirectStandardOutput || info.RedirectStandardError;
  if (info.FileName === "") {
    throw invalid("Cannot start process because a file name has not been provided.");
  }
  if (redirects && info.UseShellExecute) {
    throw invalid(
      "The Process object must have the UseShellExecute property set to false in order to redirect IO streams.",
    );
  }
  const file = host.processes.find(info.FileName);
  if (file === undefined) {
    throw raised(
      "System.ComponentModel.Win32Exception",
      "The system cannot find the file specified",
      { hresult: -2147467259 },
    );
  }
  const inherit = !info.RedirectStandardInput && !info.RedirectStandardError;
  const process = host.processes.start({
    file,
    args: splitArguments(info.Arguments),
    inherit,
    ...(info.WorkingDirectory === "" ? {} : { workingDirectory: info.WorkingDirectory }),
  });
  const running: Running = { info, process };
  void process.ended.then((code) => {
    running.exitCode = code;
  });
  if (!info.RedirectStandardInput && !inherit) {
    // A host gives its own input only together with its own standard error; what asks for it here finds its end.
    process.closeInput();
  }
  if (!info.RedirectStandardOutput) {
    void process.stdout.then((data) => host.output(data.toString()));
  }
  if (!info.RedirectStandardError && !inherit) {
    void process.stderr.then((data) => host.error(data.toString()));
  }
  return running;
}

type Process = NetObject<Running>;

function defineProcess(set: Types, host: Host): void {
  type Info = NetObject<StartInfo>;
  const startInfo: NetType = set.define({
    name: "System.Diagnostics.ProcessStartInfo",
    properties: Object.fromEntries(
      (Object.keys(newStartInfo()) as (keyof StartInfo)[]).map((name) => [
        name,
        [
          (self: Info) => self.state[name],
          (self: Info, value: Value) => {
            const isText = typeof self.state[name] === "string";
            Object.assign(self.state, { [name]: isText ? toText(value) : value === true });
          },
        ] as const,
      ]),
    ),
    constructors: {
      "()": () => new NetObject(startInfo, newStartInfo()),
      "(string)": (_: null, file: string) => new NetObject(startInfo, newStartInfo(file)),
      "(string, string)": (_: null, file: string, args: string) =>
        new NetObject(startInfo, newStartInfo(file, args)),
    },
    unsupported: [
      ...[
        "Environment",
        "EnvironmentVariables",
        "StandardOutputEncoding",
        "StandardErrorEncoding",
        "Verb",
      ],
      ...[
        "WindowStyle",
        "UserName",
        "Password",
        "Domain",
        "LoadUserProfile",
        "ErrorDialog",
        "ArgumentList",
      ],
    ],
  });

  const writer = set.define({
    name: "System.IO.StreamWriter",
    methods: {
      "Write(string)": (self: NetObject<RunningProcess>, text: string) =>
        self.state.writeInput(Buffer.from(text)),
      "WriteLine(string)": (self: NetObject<RunningProcess>, text: string) =>
        self.state.writeInput(Buffer.from(text + (host.files.separator === "\\" ? "\r\n" : "\n"))),
      "Flush()": () => undefined,
      "Close()": (self: NetObject<RunningProcess>) => self.state.closeInput(),
      "Dispose()": (self: NetObject<RunningProcess>) => self.state.closeInput(),
    },
    unsupported: ["AutoFlush", "BaseStream", "NewLine", "Encoding"],
  });

  const exited = async (self: Process, milliseconds: number) => {
    const code = await within(host.clock, self.state.process.ended, milliseconds);
    return code !== undefined;
  };
  const redirected = (
    self: Process,
    key: "RedirectStandardInput" | "RedirectStandardOutput" | "RedirectStandardError",
  ) => {
    if (!self.state.info[key]) {
      throw invalid(
        `${key.replace("RedirectStandard", "Standard").replace("Input", "In").replace("Output", "Out")} has not been redirected or the process hasn't started yet.`,
      );
    }
  };
  const readers = new WeakMap<Promise<Buffer>, Value>();
  const reader = (data: Promise<Buffer>) => {
    const known =
      readers.get(data) ??
      new NetObject(set.get("System.IO.StreamReader"), new TextReader(streamOf(() => data)));
    readers.set(data, known);
    return known;
  };
  const type: NetType = set.define({
    name: "System.Diagnostics.Process",
    interfaces: ["System.IDisposable"],
    properties: {
      Id: (self: Process) => self.state.process.id,
      HasExited: (self: Process) => self.state.exitCode !== undefined,
      ExitCode: (self: Process) => {
        if (self.state.exitCode === undefined) {
          throw invalid("Process must exit before requested information can be determined.");
        }
        return self.state.exitCode;
      },
      StandardInput: (self: Process) => {
        redirected(self, "RedirectStandardInput");
        return new NetObject(writer, self.state.process);
      },
      StandardOutput: (self: Process) => {
        redirected(self, "RedirectStandardOutput");
        return reader(self.state.process.stdout);
      },
      StandardError: (self: Process) => {
        redirected(self, "RedirectStandardError");
        return reader(self.state.process.stderr);
      },
    },
    methods: {
      "WaitForExit()": async (self: Process) => {
        await exited(self, -1);
      },
      "WaitForExit(int)": exited,
      "Kill()": (self: Process) => {
        if (self.state.exitCode !== undefined) {
          throw invalid(
            `Cannot process request because the process (${String(self.state.process.id)}) has exited.`,
          );
        }
        self.state.process.kill();
      },
      "Close()": () => undefined,
      "Dispose()": () => undefined,
    },
    staticMethods: {
      "Start(System.Diagnostics.ProcessStartInfo)": (_: null, info: Info) =>
        new NetObject(type, start(host, info.state)),
      "Start(string)": (_: null, file: string) =>
        new NetObject(type, start(host, newStartInfo(file))),
      "Start(string, string)": (_: null, file: string, args: string) =>
        new NetObject(type, start(host, newStartInfo(file, args))),
    },
    unsupported: [
      ...[
        "StartInfo",
        "ProcessName",
        "MainModule",
        "StartTime",
        "ExitTime",
        "Handle",
        "Modules",
        "Threads",
        "Path",
      ],
      ...[
        "BeginOutputReadLine",
        "BeginErrorReadLine",
        "Refresh",
        "Responding",
        "SessionId",
        "WorkingSet64",
      ],
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
        {
          hresult: -2146233043,
        },
      );
    }
    return result === "entered";
  };
  const make = async (initiallyOwned: boolean, name: string | null) => {
    unnamed += 1;
    const mutex: Mutex = new NetObject(type, {
      name: name ?? `unnamed ${String(unnamed)}`,
      held: 0,
    });
    if (initiallyOwned) {
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
            {
              hresult: -2146232832,
            },
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
    constructors: {
      "()": () => make(false, null),
      "(bool)": (_: null, initiallyOwned: boolean) => make(initiallyOwned, null),
      "(bool, string)": (_: null, initiallyOwned: boolean, name: string) =>
        make(initiallyOwned, name),
    },
    staticMethods: {},
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
  defineProcess(set, host);
  defineMutex(set, host);
}
