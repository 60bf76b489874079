import type { Command } from "commander";

interface NamedCommand {
  /** As it is typed: `disk build`. */
  readonly name: string;
  readonly command: Command;
}

/** The commands that can be run, by their whole names. */
export function allCommands(root: Command, before = ""): readonly NamedCommand[] {
  return root
    .createHelp()
    .visibleCommands(root)
    .filter((command) => command.name() !== "help")
    .flatMap((command) => {
      const name = `${before}${command.name()}`;
      return command.commands.length === 0 ? [{ name, command }] : allCommands(command, `${name} `);
    });
}
