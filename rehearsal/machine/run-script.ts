import { shown } from "../powershell/cmdlets/objects.ts";
import { Unsupported } from "../powershell/values.ts";
import { windowsPowerShell } from "../windows/powershell.ts";
import type { CommandIo } from "./ssh/ssh-server.ts";
import { StepError, StepFaults } from "./step-faults.ts";
import { PowerLost, type WindowsMachine, homeFolder } from "./windows-machine.ts";
import { windowsPathNames } from "./windows-path.ts";

/** Exit code of powershell.exe 5.1 if it can't use its -File. */
const unusableFile = 0xfffd0000;
/** Exit code if a script uses anything the interpreter does not know. */
const unsupportedScript = 70;

/** Runs `powershell.exe -File script args...`. Returns the exit code. */
export async function runScript(
  machine: WindowsMachine,
  script: string,
  args: readonly string[],
  io: CommandIo,
): Promise<number> {
  const cwd = windowsPathNames(homeFolder);
  const path = await machine.drive.display(script, cwd);
  if (!(await machine.drive.isFile(path))) {
    io.err(
      `The argument '${script}' to the -File parameter does not exist. Provide the path to an existing '.ps1' file as an argument to the -File parameter.\n`,
    );
    return unusableFile;
  }
  return machine.time.busy(() => runOnPowerShell(machine, path, args, io));
}

/**
 * Runs `powershell.exe -Command text`, without faults. Returns the exit code.
 *
 * @param cmd runs what follows `cmd.exe /d /s /c`, which has the command's own console.
 */
export function runCommand(
  machine: WindowsMachine,
  text: string,
  io: CommandIo,
  cmd: (machine: WindowsMachine, text: string, io: CommandIo) => Promise<number>,
): Promise<number> {
  const console = {
    ...consoleOf(machine, io),
    cmd: (command: string) => cmd(machine, command, io),
  };
  const powerShell = windowsPowerShell(machine, console, () => Promise.resolve());
  return machine.time.busy(() => powerShell.runCommand(text, (value) => io.out(shown(value))));
}

async function runOnPowerShell(
  machine: WindowsMachine,
  path: string,
  args: readonly string[],
  io: CommandIo,
): Promise<number> {
  const step = path.replace(/^.*\\|\.ps1$/gi, "");
  let result = "";
  const output = (text: string): void => {
    if (text.startsWith('{"step":')) result += text;
    else io.out(text);
  };
  const console = consoleOf(machine, io, output);
  try {
    const faults = await StepFaults.load(machine, step, () => io.dropConnection());
    const powerShell = windowsPowerShell(machine, console, () => faults.changing());
    await faults.start();
    const exitCode = await powerShell.runFile(path, args, (value) => output(shown(value)));
    await machine.applyHostsFile();
    await machine.save();
    await faults.end();
    await faults.writeResult(result.replaceAll("\r\n", "\n"), (text) => io.out(text));
    return exitCode;
  } catch (error) {
    if (error instanceof Unsupported) {
      io.err(
        `The PowerShell of the rehearsed machine can't run this script: ${error.message}. If an earlier version of kindows ` +
          "made this machine, run `kindows down` and then `kindows up`.\n",
      );
      return unsupportedScript;
    }
    if (error instanceof PowerLost) throw error;
    result = "";
    const powerShell = windowsPowerShell(machine, console, () => Promise.resolve());
    const exitCode = await powerShell.runCommand(failing(step, path, error), () => undefined);
    io.out(result);
    return exitCode;
  } finally {
    machine.drive.full = false; // the fault ends with the step
  }
}

const consoleOf = (
  machine: WindowsMachine,
  io: CommandIo,
  output = (text: string) => io.out(text),
) => ({
  output,
  error: (text: string) => io.err(text),
  input: () => inputOf(machine, io),
});

/** All of standard input. Never resolves if it does not end; the script has its own time limit. */
async function inputOf(machine: WindowsMachine, io: CommandIo): Promise<Buffer> {
  const text = await machine.time.busy(() => io.stdin());
  return text === undefined ? new Promise(() => undefined) : Buffer.from(text);
}

/** A script that reports an error of the model as the step's failure, by the library that runs steps. */
function failing(step: string, path: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const { code, remedy } =
    error instanceof StepError
      ? error
      : { code: "Unexpected", remedy: "This is a mistake in the rehearsal, not on the machine." };
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const frame = path.replace(/[^\\]*$/, "lib\\Step.ps1");
  const stop = `Stop-Step -Code ${quoted(code)} -Message ${quoted(message)} -Remedy ${quoted(remedy)}`;
  return `. ${quoted(frame)}; Invoke-Step -Name ${quoted(step)} -Alone $false -Body { ${stop} }`;
}
