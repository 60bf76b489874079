/** Processes, what is under way in them, and mutexes. */
import { toBool, toText } from "../convert.ts";
import type { Clock, Host, RunningProcess } from "../host.ts";
import { raised, type Types } from "../types.ts";
import { CustomObject, NetObject, Unsupported, type PsArray, type Value } from "../values.ts";
import { millisecondsOf } from "./time.ts";

type Task = NetObject<{ readonly promise: Promise<Value>; isCompleted: boolean }>;

/** A task that ends with a promise. */
export function task(set: Types, promise: Promise<Value>): Task {
  const state = { promise, isCompleted: false };
  const complete = () => {
    state.isCompleted = true;
  };
  promise.then(complete, complete);
  return new NetObject(set.get("System.Threading.Tasks.Task"), state);
}

/** Whether a promise is kept within so many milliseconds. */
async function within(clock: Clock, promise: Promise<unknown>, time: number): Promise<boolean> {
  const cancel = new AbortController();
  const late = clock.sleep(time, cancel.signal).then(() => false);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    cancel.abort();
  }
}

function defineTasks(set: Types, { clock }: Host): void {
  const wait = (tasks: readonly Value[], time: number) =>
    within(clock, Promise.all(tasks.map((each) => (each as Task).state.promise)), time);
  set.define({
    name: "System.Threading.Tasks.Task",
    properties: {
      Result: ({ state }: Task) => state.promise,
      IsCompleted: ({ state }: Task) => state.isCompleted,
    },
    methods: { "Wait(int)": (self: Task, time: number) => wait([self], time) },
    staticMethods: {
      "WaitAll(System.Threading.Tasks.Task[], int)": (_: null, { items }: PsArray, time: number) =>
        wait(items, time),
    },
  });
}

const startInfoProperties =
  "FileName Arguments WorkingDirectory UseShellExecute " +
  "RedirectStandardInput RedirectStandardOutput RedirectStandardError";

/** A process's one text of arguments taken apart as programs of Windows do it. */
function splitArguments(text: string): string[] {
  const words = text.match(/(?:[^ \t"\\]|\\["\\]?|"(?:[^"\\]|\\["\\]?)*(?:"|$))+/g) ?? [];
  // Only before a quote is a backslash more than itself.
  const unquoted = (slashes: string) =>
    "\\".repeat(Math.floor(slashes.length / 2)) + (slashes.length % 2 === 1 ? '"' : "");
  return words.map((word) => word.replace(/(\\*)"/g, (_, slashes: string) => unquoted(slashes)));
}

function start(host: Host, info: CustomObject): RunningProcess {
  const text = (name: string) => toText(info.get(name) ?? null);
  const redirects = (name: string) => toBool(info.get(`RedirectStandard${name}`) ?? null);
  if (info.get("UseShellExecute") !== false || !redirects("Output")) {
    throw new Unsupported("a process of the shell, or one whose output is not redirected");
  }
  const file = host.processes.find(text("FileName"));
  if (file === undefined) {
    const message = "The system cannot find the file specified";
    throw raised("System.ComponentModel.Win32Exception", message);
  }
  const process = host.processes.start({
    file,
    args: splitArguments(text("Arguments")),
    workingDirectory: text("WorkingDirectory") || undefined,
  });
  if (!redirects("Input")) {
    process.closeInput();
  }
  if (!redirects("Error")) {
    void process.stderr.then((data) => host.error(data.toString()));
  }
  return process;
}

function defineProcess(set: Types, host: Host): void {
  const name = "System.Diagnostics.Process";
  const startInfo = set.define({
    name: `${name}StartInfo`,
    constructors: {
      "()": () =>
        startInfoProperties
          .split(" ")
          .reduce((info, each) => info.set(each, null), new CustomObject(startInfo)),
    },
  });
  type Process = NetObject<RunningProcess>;
  const writer = set.define({
    name: "System.IO.StreamWriter",
    methods: {
      "Write(string)": ({ state }: Process, text: string) => state.writeInput(Buffer.from(text)),
      "Close()": ({ state }: Process) => state.closeInput(),
    },
  });
  const reader = (data: Promise<Buffer>) =>
    new NetObject(set.get("System.IO.StreamReader"), () => data);
  set.define({
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
      [`Start(${name}StartInfo)`]: (_: null, info: CustomObject) =>
        new NetObject(set.get(name), start(host, info)),
    },
  });
}

function defineMutex(set: Types, { mutexes }: Host): void {
  type Mutex = NetObject<string>;
  const mutex = set.define({
    name: "System.Threading.Mutex",
    constructors: {
      "(bool, string)": (_: null, isOwned: boolean, name: string) => {
        if (isOwned) {
          throw new Unsupported("a mutex that is owned from the start");
        }
        return new NetObject(mutex, name);
      },
    },
    methods: {
      "WaitOne(timespan)": async ({ state }: Mutex, span: Value) => {
        const result = await mutexes?.enter(state, millisecondsOf(span));
        if (result === "abandoned") {
          const message = "The wait completed due to an abandoned mutex.";
          throw raised("System.Threading.AbandonedMutexException", message);
        }
        return result !== "busy";
      },
      "ReleaseMutex()": ({ state }: Mutex) => mutexes?.leave(state),
      "Dispose()": () => undefined,
    },
  });
}

/** Also the types of tasks, of which readers make some. */
export function defineProcessTypes(set: Types, host: Host): void {
  defineTasks(set, host);
  defineProcess(set, host);
  defineMutex(set, host);
}
