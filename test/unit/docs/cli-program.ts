import { Command } from "commander";

/**
 * The commands of the CLI, as cli/main.ts builds them; nothing of it is run.
 *
 * main.ts reads this process's arguments when it is loaded: that is held up until it is built, and then does nothing.
 */
export async function cliProgram(): Promise<Command> {
  // The method is put back as it was found, and never called without its object.
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const { parseAsync } = Command.prototype;
  const built: Command[] = [];
  Command.prototype.parseAsync = function (): Promise<Command> {
    built.push(this);
    return Promise.resolve(this);
  };
  try {
    await import("../../../cli/main.ts");
  } finally {
    Command.prototype.parseAsync = parseAsync;
  }
  const [program] = built;
  if (program === undefined) {
    throw new Error("cli/main.ts has parsed nothing");
  }
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
