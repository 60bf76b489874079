/**
 * The list of running processes: only `runningPrograms`, not services.
 *
 * Sources: https://learn.microsoft.com/powershell/module/microsoft.powershell.management/get-process,
 * https://learn.microsoft.com/windows/win32/cimwin32prov/win32-process.
 */
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import type { Types } from "../powershell/types.ts";
import { NetObject } from "../powershell/values.ts";
import type { WindowsHost } from "../machine/windows-host.ts";
import type { CimClass } from "./cim.ts";

interface ListedProcess {
  readonly path: string;
  readonly id: number;
}

const typeName = "System.Diagnostics.Process";

function listedProcesses({ runningPrograms }: WindowsHost): ListedProcess[] {
  return [...runningPrograms].map((path, index) => ({ path, id: 1000 + 4 * index }));
}

export function defineListedProcess(
  types: Types,
  { runningPrograms }: WindowsHost,
  changing: (what: string) => Promise<void>,
): void {
  type Process = NetObject<ListedProcess>;
  types.define({
    name: `${typeName}#listed`,
    base: typeName,
    properties: {
      ProcessName: ({ state }: Process) => state.path.replace(/^.*\\|\.exe$/gi, ""),
      Id: ({ state }: Process) => state.id,
    },
    methods: {
      "Kill()": async ({ state }: Process) => {
        await changing(`end ${state.path}`);
        runningPrograms.delete(state.path);
      },
    },
  });
}

export function processCmdlets(machine: WindowsHost): readonly Cmdlet[] {
  return cmdlets({
    async "Get-Process"(call) {
      for (const each of listedProcesses(machine)) {
        await call.emit(new NetObject(call.shell.types.get(`${typeName}#listed`), each));
      }
    },
  });
}

export function processClass(machine: WindowsHost): CimClass {
  return {
    instances: () =>
      listedProcesses(machine).map(({ path, id }) => ({ ProcessId: id, ExecutablePath: path })),
  };
}
