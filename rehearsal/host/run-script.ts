import { shown } from "../../powershell/cmdlets/objects.ts";
import { Unsupported } from "../../powershell/values.ts";
import { windowsPowerShell } from "../windows/powershell.ts";
import { DiskFullError } from "./file-errors.ts";
import type { ScriptInvocation } from "./powershell/invocation.ts";
import { StepError, stepExitCodes } from "./step-error.ts";
import { StepFaults } from "./step-faults.ts";
import { type ScriptName, scriptNames } from "./step-names.ts";
import { PowerLost } from "./power-lost.ts";
import { type WindowsHost, homeFolder } from "./windows-host.ts";
import { windowsPathNames } from "./windows-path.ts";

/** The console a command runs on. */
export interface CommandIo {
  /** Lines are ended by `\n` here and go out with CRLF. */
  out(text: string): void;
  err(text: string): void;
  /** Everything on standard input; undefined where that did not end within 30 s. */
  stdin(): Promise<string | undefined>;
  /** Breaks the connection the command came by. */
  dropConnection(): void;
}

/** Exit code of powershell.exe 5.1 that can't use its -File. */
const unusableFile = 0xfffd0000;
/** Exit code where a script uses what the interpreter does not know. */
const unsupportedScript = 70;

/** Runs `powershell.exe -File script args...`; returns the exit code. */
export async function runScript(
  host: WindowsHost,
  { script, args }: ScriptInvocation,
  io: CommandIo,
): Promise<number> {
  const cwd = windowsPathNames(homeFolder);
  const path = await host.drive.display(script, cwd);
  if (!(await host.drive.isFile(path))) {
    io.err(
      `The argument '${script}' to the -File parameter does not exist. Provide the path to an existing '.ps1' file as an argument to the -File parameter.\n`,
    );
    return unusableFile;
  }
  const fileName = path.slice(path.lastIndexOf("\\") + 1);
  const step = scriptNames.find((name) => `${name}.ps1`.toLowerCase() === fileName.toLowerCase());
  if (!step) {
    io.err(
      `The rehearsal host does not know the script ${fileName}. It rehearses ${scriptNames.join(", ")}.\n`,
    );
    return 1;
  }

  return host.time.busy(() => runOnPowerShell(host, step, path, args, io));
}

async function runOnPowerShell(
  host: WindowsHost,
  step: ScriptName,
  path: string,
  args: readonly string[],
  io: CommandIo,
): Promise<number> {
  let result = "";
  const output = (text: string): void => {
    if (text.startsWith('{"step":')) result += text;
    else io.out(text);
  };
  try {
    const faults = await StepFaults.load(host, step, () => io.dropConnection());
    const powerShell = windowsPowerShell(
      host,
      { output, error: (text) => io.err(text), input: () => inputOf(host, io) },
      () => faults.changing(),
    );
    await faults.start();
    const exitCode = await powerShell.runFile(path, args, (value) => output(shown(value)));
    await host.applyHostsFile();
    await host.saved();
    await faults.end();
    await faults.writeResult(result.replaceAll("\r\n", "\n"), (text) => io.out(text));
    return exitCode;
  } catch (error) {
    if (error instanceof Unsupported) {
      io.err(`The PowerShell of the rehearsal host can't run this script: ${error.message}\n`);
      return unsupportedScript;
    }
    if (error instanceof PowerLost) throw error;
    return failed(host, step, error, io);
  } finally {
    host.drive.full = false; // somebody has made room
  }
}

/** All of standard input; what never ends is waited for by nobody but the script, which has a limit. */
async function inputOf(host: WindowsHost, io: CommandIo): Promise<Buffer> {
  const text = await host.time.busy(() => io.stdin());
  return text === undefined ? new Promise(() => undefined) : Buffer.from(text);
}

function failed(host: WindowsHost, step: ScriptName, error: unknown, io: CommandIo): number {
  const { code, message, remedy } = stepError(error);
  io.err(`${step} on ${host.computerName} failed (${code}): ${message} ${remedy}\n`);
  io.out(jsonLine({ step, error: { code, message, remedy } }));
  return stepExitCodes[code];
}

function stepError(error: unknown): StepError {
  if (error instanceof StepError) return error;
  if (error instanceof DiskFullError) {
    return new StepError(
      "DiskFull",
      error.message,
      "Free space on drive C:, then run again: the step continues from there.",
    );
  }
  const message = error instanceof Error ? error.message : String(error);
  return new StepError(
    "Unexpected",
    message,
    "Read the lines above; then run again, or look at the machine.",
  );
}

/** One line of plain ASCII, as the script's Write-JsonLine writes it. */
function jsonLine(value: unknown): string {
  const json = JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${json}\n`;
}
