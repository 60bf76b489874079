/**
 * Processes that a script starts and waits for.
 *
 * Source: https://learn.microsoft.com/dotnet/api/system.diagnostics.process.
 */
import { toBool, toText } from "../../powershell/convert.ts";
import type { Host } from "../../powershell/host.ts";
import { raised, type Types } from "../../powershell/types.ts";
import { CustomObject, NetObject, Unsupported } from "../../powershell/values.ts";
import type { Processes, RunningProcess } from "./processes.ts";
import { within } from "./tasks.ts";

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

function start(processes: Processes, { error }: Host, info: CustomObject): RunningProcess {
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

export function defineProcessTypes(types: Types, processes: Processes, host: Host): void {
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
      [`Start(${name}StartInfo)`]: (_: null, info: CustomObject) =>
        new NetObject(types.get(name), start(processes, host, info)),
    },
  });
}
