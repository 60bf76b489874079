import { quoteArgument } from "../cmd/argv.ts";
import { type ProgramResult, ProgramTimeout } from "../programs.ts";
import type { StepContext } from "../step.ts";
import { StepError, type StepErrorCode } from "../step-error.ts";

/** How a step runs a program: the parameters of the script's Invoke-NativeCommand. */
export interface NativeCommand {
  readonly exe: string;
  readonly args: readonly string[];
  readonly timeoutSeconds: number;
  /** Default CommandFailed. */
  readonly failureCode?: StepErrorCode;
  /** Default CommandTimedOut. */
  readonly timeoutCode?: StepErrorCode;
  /** Text that must not be repeated in an error, should the program write it. Default: none. */
  readonly hidden?: readonly string[];
  readonly remedy: string;
}

/** Runs a program and returns its standard output; any exit code but 0, or too long a time, ends the step. */
export async function runNative(context: StepContext, command: NativeCommand): Promise<string> {
  const { host } = context;
  const name = command.exe.slice(command.exe.lastIndexOf("\\") + 1);
  context.progress(`running ${name} ${command.args.map(quoteArgument).join(" ")}`);
  if (!(await host.drive.isFile(command.exe))) {
    throw new StepError(
      "Unexpected",
      `The system cannot find the file specified: ${command.exe}`,
      command.remedy,
    );
  }
  let result: ProgramResult;
  try {
    result = await host.programs.run(command.exe, command.args, {
      timeoutSeconds: command.timeoutSeconds,
      path: host.settings.path,
    });
  } catch (error) {
    if (!(error instanceof ProgramTimeout)) throw error;
    throw new StepError(
      command.timeoutCode ?? "CommandTimedOut",
      `${name} did not end within ${command.timeoutSeconds} s and was stopped. It wrote: ${tail(error.output, command)}`,
      command.remedy,
    );
  }
  host.assertPower();
  if (result.exitCode !== 0) {
    throw new StepError(
      command.failureCode ?? "CommandFailed",
      `${name} ended with exit code ${result.exitCode}. It wrote: ${tail(`${result.stdout}\n${result.stderr}`, command)}`,
      command.remedy,
    );
  }
  return result.stdout;
}

function tail(output: string, { hidden = [] }: NativeCommand): string {
  const text = hidden.reduce((shown, secret) => shown.replaceAll(secret, "***"), output.trim());
  return text.length > 2000 ? `...${text.slice(-2000)}` : text;
}
