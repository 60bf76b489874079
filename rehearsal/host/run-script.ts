import { shown } from "../../powershell/cmdlets/objects.ts";
import { Unsupported } from "../../powershell/values.ts";
import { windowsPowerShell } from "../windows/powershell.ts";
import { bindParameters } from "./powershell/bind.ts";
import { DiskFullError } from "./file-errors.ts";
import { BindingError } from "./powershell/binding-error.ts";
import type { ScriptInvocation } from "./powershell/invocation.ts";
import { readParamBlock } from "./powershell/param-block.ts";
import { PowerShellSyntaxError } from "./powershell/scanner.ts";
import { RehearsalError } from "./rehearsal-error.ts";
import type { StepBehaviour, StepOutcome } from "./step.ts";
import { StepError, stepExitCodes } from "./step-error.ts";
import { type ScriptName, scriptNames } from "./step-names.ts";
import { hyperVBehaviours } from "./hyper-v/behaviours.ts";
import { StepFaults } from "./step-faults.ts";
import { StepParameters } from "./step-parameters.ts";
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
/** What stands in for each script that does not run itself yet. */
const behaviours: Partial<Record<ScriptName, StepBehaviour>> = hyperVBehaviours;
/** Scripts that only look: they do not wait, for what they are to look at may be one that hangs. */
const lookers: readonly ScriptName[] = ["Get-LabMachine"];
/** Seconds the scripts wait for one another. */
const lockSeconds = 240;

/** Runs `powershell.exe -File script args...` with the behaviour that stands in for the script; returns the exit code. */
export async function runScript(
  host: WindowsHost,
  { script, args }: ScriptInvocation,
  io: CommandIo,
): Promise<number> {
  const cwd = windowsPathNames(homeFolder);
  const path = await host.drive.display(script, cwd);
  const source = await host.drive.readText(path);
  if (source === undefined) {
    io.err(
      `The argument '${script}' to the -File parameter does not exist. Provide the path to an existing '.ps1' file as an argument to the -File parameter.\n`,
    );
    return unusableFile;
  }
  const fileName = path.slice(path.lastIndexOf("\\") + 1);
  const step = scriptNames.find((name) => `${name}.ps1`.toLowerCase() === fileName.toLowerCase());
  if (!step) {
    io.err(
      `The rehearsal host has no PowerShell and no behaviour for ${fileName}. It rehearses ${scriptNames.join(", ")}.\n`,
    );
    return 1;
  }

  const behaviour = behaviours[step];
  if (!behaviour) return host.time.busy(() => runOnPowerShell(host, step, path, args, io));
  let parameters: StepParameters;
  try {
    const block = readParamBlock(source);
    parameters = new StepParameters(fileName, block, bindParameters(block, args));
  } catch (error) {
    if (error instanceof BindingError) {
      io.err(bindingMessage(path, fileName, error));
      return 1;
    }
    if (!(error instanceof PowerShellSyntaxError)) throw error;
    io.err(`The rehearsal host can't read the param() block of ${path}: ${error.message}\n`);
    return stepExitCodes.Unexpected;
  }
  return host.time.busy(() => runStep(host, step, behaviour, parameters, io));
}

/** Runs the script itself. */
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

async function runStep(
  host: WindowsHost,
  step: ScriptName,
  behaviour: StepBehaviour,
  parameters: StepParameters,
  io: CommandIo,
): Promise<number> {
  const start = Date.now();
  try {
    const work = (): Promise<Played> => runBehaviour(host, step, behaviour, parameters, io);
    const { outcome, faults } = await (lookers.includes(step)
      ? work()
      : host.stepLock.run(
          lockSeconds * 1000,
          () =>
            new StepError(
              "StepBusy",
              `Another step has been running on this machine for more than ${lockSeconds} s.`,
              "Wait for it to end (look for powershell.exe with C:\\kindows\\steps in its command line), then run again.",
            ),
          work,
        ));
    const seconds = Math.round((Date.now() - start) / 100) / 10;
    const result = {
      step,
      changed: outcome.changed,
      rebootRequired: outcome.rebootRequired ?? false,
      seconds,
      facts: { ...outcome.facts, rehearsal: true },
    };
    await faults.writeResult(jsonLine(result), (text) => io.out(text));
    return 0;
  } catch (error) {
    if (error instanceof PowerLost) throw error;
    return failed(host, step, error, io);
  }
}

/** What a step came to, and the faults that may still strike its result. */
interface Played {
  readonly outcome: StepOutcome;
  readonly faults: StepFaults;
}

async function runBehaviour(
  host: WindowsHost,
  step: ScriptName,
  behaviour: StepBehaviour,
  parameters: StepParameters,
  io: CommandIo,
): Promise<Played> {
  const faults = await StepFaults.load(host, step, () => io.dropConnection());
  try {
    return { outcome: await played(host, behaviour, parameters, io, faults), faults };
  } finally {
    host.drive.full = false; // somebody has made room
  }
}

async function played(
  host: WindowsHost,
  behaviour: StepBehaviour,
  parameters: StepParameters,
  io: CommandIo,
  faults: StepFaults,
): Promise<StepOutcome> {
  await faults.start();
  const outcome = await behaviour({
    host,
    parameters,
    stdin: () => io.stdin(),
    output: (line) => io.out(`${line}\n`),
    progress: (line) => io.err(`${line}\n`),
    checkpoint: () => faults.checkpoint(),
  });
  await faults.end();
  return outcome;
}

function stepError(error: unknown): StepError {
  if (error instanceof StepError) return error;
  if (error instanceof DiskFullError) {
    return new StepError(
      "DiskFull",
      error.message,
      "Free space on drive C:, then run again: the step goes on from there.",
    );
  }
  const message = error instanceof Error ? error.message : String(error);
  return new StepError(
    "Unexpected",
    message,
    error instanceof RehearsalError
      ? "This is a mistake in the rehearsal, not on the machine."
      : "Read the lines above; then run again, or look at the machine.",
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

function bindingMessage(path: string, fileName: string, error: BindingError): string {
  const exception =
    error.id === "ParameterArgumentTransformationError"
      ? "ParameterBindingArgumentTransformationException"
      : error.id.startsWith("ParameterArgumentValidationError")
        ? "ParameterBindingValidationException"
        : "ParameterBindingException";
  return (
    `${path} : ${error.message}\n` +
    `    + CategoryInfo          : InvalidArgument: (:) [${fileName}], ${exception}\n` +
    `    + FullyQualifiedErrorId : ${error.id},${fileName}\n`
  );
}
