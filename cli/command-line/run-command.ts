import type { Command } from "commander";

/** What every command is told. */
export interface StackOption {
  readonly stack: string;
}

/** Runs a command with its own options and the program's; its exit code becomes the process's. */
export type RunCommand = <Options>(
  command: (options: Options & StackOption) => Promise<number>,
) => (options: Options) => Promise<void>;

/** How a program's commands are run. Each loads its module only then, to keep every other command quick. */
export function commandRunner(program: Command): RunCommand {
  return (command) => async (options) => {
    process.exitCode = await command({ ...program.opts<StackOption>(), ...options });
  };
}
