import type { Command } from "commander";
import { kindowsProgram } from "../../../cli/command-line/kindows-program.ts";

/** The commands of the CLI; they do nothing and say nothing. */
export function cliProgram(): Command {
  const program = kindowsProgram();
  silenced(program);
  return program;
}

/** Takes what the commands do away from them, and what they say. */
function silenced(command: Command): void {
  command.configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  if (command.commands.length === 0) {
    command.action(() => undefined);
  }
  command.commands.forEach(silenced);
}
