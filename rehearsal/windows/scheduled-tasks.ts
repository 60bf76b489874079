/**
 * Scheduled tasks that run PowerShell without a session or console. They have no triggers, and a reboot removes them.
 *
 * Source: https://learn.microsoft.com/powershell/module/scheduledtasks (New-ScheduledTaskAction,
 * New-ScheduledTaskSettingsSet, Register-, Start- and Unregister-ScheduledTask).
 */
import { cmdlets, type Call, type Cmdlet } from "../powershell/commands.ts";
import { toText } from "../powershell/convert.ts";
import { CustomObject, Unsupported } from "../powershell/values.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";
import { object, refuse } from "./objects.ts";

const powerShell = /^C:\\Windows\\System32\\WindowsPowerShell\\v1\.0\\powershell\.exe$/i;
const commandLine =
  /^(?:-NoProfile |-NonInteractive |-ExecutionPolicy Bypass )*-Command "([^"]*)"$/i;

/** @param run Runs a command as powershell.exe -Command does. */
export function scheduledTaskCmdlets(
  machine: WindowsMachine,
  run: (command: string) => Promise<unknown>,
): readonly Cmdlet[] {
  const { scheduledTasks } = machine;
  const nameOf = (call: Call): string => (call.text("TaskName") ?? "").toLowerCase();
  /** A task's command. Reports an error if there is no task of that name. */
  const find = async (call: Call): Promise<string | undefined> => {
    const command = scheduledTasks.get(nameOf(call));
    if (command === undefined) {
      const message = `No MSFT_ScheduledTask objects found with property 'TaskName' equal to '${call.text("TaskName") ?? ""}'.`;
      await refuse(call, message, "CmdletizationQuery_NotFound_TaskName");
    }
    return command;
  };
  return cmdlets({
    async "New-ScheduledTaskAction [-Execute] <string> [[-Argument] <string>]"(call) {
      const [, command] = commandLine.exec(call.text("Argument") ?? "") ?? [];
      if (command === undefined || !powerShell.test(call.text("Execute") ?? "")) {
        throw new Unsupported("a task that runs anything but powershell.exe -Command");
      }
      await call.emit(object({ Command: command }));
    },
    // Nothing of it has an effect here.
    async "New-ScheduledTaskSettingsSet [-Priority <int>] [-ExecutionTimeLimit <string>] [-AllowStartIfOnBatteries] [-DontStopIfGoingOnBatteries]"(
      call,
    ) {
      await call.emit(object({ Priority: call.number("Priority") ?? null }));
    },
    async "Register-ScheduledTask [-TaskName] <string> -Action <object> -Settings <object> -User <string> -RunLevel {Highest} [-Force]"(
      call,
    ) {
      if (!/^(NT AUTHORITY\\)?SYSTEM$/i.test(call.text("User") ?? "")) {
        throw new Unsupported("a task of anybody but SYSTEM");
      }
      const action = call.get("Action");
      if (scheduledTasks.has(nameOf(call)) && !call.flag("Force")) {
        const message = "Cannot create a file when that file already exists.";
        return refuse(call, message, "HRESULT 0x800700b7");
      }
      const command = action instanceof CustomObject ? action.get("Command") : undefined;
      scheduledTasks.set(nameOf(call), toText(command ?? null));
      await call.emit(object({ TaskName: call.text("TaskName") ?? "" }));
    },
    async "Start-ScheduledTask [-TaskName] <string>"(call) {
      const command = await find(call);
      if (command !== undefined) {
        machine.startTask(async () => {
          await run(command);
        });
      }
    },
    async "Unregister-ScheduledTask [-TaskName] <string> [-Confirm]"(call) {
      if ((await find(call)) !== undefined) {
        scheduledTasks.delete(nameOf(call));
      }
    },
  });
}
