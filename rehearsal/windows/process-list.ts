/**
 * The list of running processes: `runningPrograms`, what scripts have started by Start-Process, and services.
 *
 * Sources: https://learn.microsoft.com/powershell/module/microsoft.powershell.management (Get-Process, Start-Process,
 * Stop-Process), https://learn.microsoft.com/windows/win32/cimwin32prov/win32-process.
 */
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import { toText } from "../powershell/convert.ts";
import { raised, type Types } from "../powershell/types.ts";
import { NetObject, Unsupported } from "../powershell/values.ts";
import { quoteArgument } from "../machine/cmd/arguments.ts";
import { workingProgram } from "../machine/service-manager.ts";
import type { ListedProcess, WindowsMachine } from "../machine/windows-machine.ts";
import type { CimClass } from "./cim.ts";
import { refuse } from "./objects.ts";
import type { Processes } from "./processes.ts";

const typeName = "System.Diagnostics.Process";

async function listedProcesses(machine: WindowsMachine): Promise<ListedProcess[]> {
  const { runningPrograms, services, startedProcesses } = machine;
  const own = [...runningPrograms].map((path, index) => ({
    ...{ path, id: 1000 + 4 * index, commandLine: path },
    kill: () => void runningPrograms.delete(path),
  }));
  const ofServices: ListedProcess[] = [];
  for (const name of services.names()) {
    const id = services.processId(name);
    if (id === undefined || !(await services.isRunning(name))) continue;
    const commandLine = services.get(name)?.commandLine ?? "";
    ofServices.push({ path: workingProgram(commandLine).exe, id, commandLine });
  }
  return [...own, ...startedProcesses, ...ofServices];
}

const nameOf = ({ path }: ListedProcess): string => path.replace(/^.*\\|\.exe$/gi, "");

type Process = NetObject<ListedProcess>;

export function defineListedProcess(types: Types, changing: (what: string) => Promise<void>): void {
  types.define({ name: noSuchProcess, base: "System.SystemException" });
  types.define({
    name: `${typeName}#listed`,
    base: typeName,
    properties: {
      ProcessName: ({ state }: Process) => nameOf(state),
      Id: ({ state }: Process) => state.id,
    },
    methods: { "Kill()": ({ state }: Process) => end(state, changing) },
  });
}

async function end(
  process: ListedProcess,
  changing: (what: string) => Promise<void>,
): Promise<void> {
  if (process.kill === undefined) throw new Unsupported(`the end of a service's ${process.path}`);
  await changing(`end ${process.path}`);
  process.kill();
}

/** @param programs in the script's console. */
export function processCmdlets(
  machine: WindowsMachine,
  programs: Pick<Processes, "find" | "start">,
): readonly Cmdlet[] {
  const { startedProcesses } = machine;
  return cmdlets(
    {
      async "Get-Process [[-Name] <string>]"(call) {
        const name = call.text("Name");
        const all = await listedProcesses(machine);
        const found = all.filter(
          (each) => name === undefined || nameOf(each).toLowerCase() === name.toLowerCase(),
        );
        if (name !== undefined && found.length === 0) {
          const message = `Cannot find a process with the name "${name}". Verify the process name and call the cmdlet again.`;
          return refuse(call, message, "NoProcessFoundForGivenName", noSuchProcess);
        }
        for (const each of found) {
          await call.emit(new NetObject(call.shell.types.get(`${typeName}#listed`), each));
        }
      },
      "Start-Process [-FilePath] <string> [-ArgumentList <string[]>] -NoNewWindow"(call) {
        const path = call.text("FilePath") ?? "";
        const file = programs.find(path);
        if (file === undefined) {
          const message =
            "This command cannot be run due to the error: The system cannot find the file specified.";
          throw raised("System.InvalidOperationException", message);
        }
        // As it is, without quotes.
        const args = (call.texts("ArgumentList") ?? []).join(" ").split(" ").filter(Boolean);
        const { host } = call.shell;
        const started = programs.start({
          ...{ file, args },
          output: { lines: (text) => host.output(text), error: (text) => host.error(text) },
        });
        started.closeInput();
        const process: ListedProcess = {
          ...{ path: file, id: machine.newProcessId() },
          commandLine: [file, ...args].map(quoteArgument).join(" "),
          kill: () => started.kill(),
        };
        startedProcesses.add(process);
        const ended = (): void => void startedProcesses.delete(process);
        started.ended.then(ended, ended);
      },
      async "Stop-Process -Id <int> [-Force]"(call) {
        const id = call.number("Id");
        const process = (await listedProcesses(machine)).find((each) => each.id === id);
        if (process === undefined) {
          const message = `Cannot find a process with the process identifier ${toText(id ?? null)}.`;
          return refuse(call, message, "NoProcessFoundForGivenId", noSuchProcess);
        }
        await end(process, () => Promise.resolve());
      },
    },
    "Microsoft.PowerShell.Commands",
  );
}

const noSuchProcess = "Microsoft.PowerShell.Commands.ProcessCommandException";

export function processClass(machine: WindowsMachine): CimClass {
  return {
    instances: async () =>
      (await listedProcesses(machine)).map(({ path, id, commandLine }) => ({
        ...{ ProcessId: id, ExecutablePath: path, CommandLine: commandLine },
        Name: path.replace(/^.*\\/, ""),
      })),
  };
}
