import type { Command, Option } from "commander";

/** What can stand in the place of an argument, or of an option's value. */
export type ValueKind =
  "stack" | "node" | "source" | "file" | "folder" | "other" | { of: readonly string[] };

/** An option as it is typed. */
export interface OptionEntry {
  /** Its long name and its short one, e.g. `--stack` and `-s`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Nothing where it takes no value. */
  readonly value?: ValueKind;
}

/** A command, and the commands below it. */
export interface CommandEntry {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionEntry[];
  readonly arguments: readonly { readonly value: ValueKind; readonly variadic: boolean }[];
  readonly commands: readonly CommandEntry[];
}

/** What `--help` knows of a command: the same list, so that nothing is in one and not in the other. */
export function commandTable(command: Command): CommandEntry {
  const help = command.createHelp();
  return {
    name: command.name(),
    description: help.subcommandDescription(command),
    options: help.visibleOptions(command).map(optionEntry),
    arguments: command.registeredArguments.map((argument) => ({
      value: argument.argChoices ? { of: argument.argChoices } : kindOf(argument.name()),
      variadic: argument.variadic,
    })),
    commands: help
      .visibleCommands(command)
      .map((each) => (each.name() === "help" ? helpEntry(each, command) : commandTable(each))),
  };
}

function optionEntry(option: Option): OptionEntry {
  const names = [option.long, option.short].filter((name) => typeof name === "string");
  const placeholder = /<([^>]+)>/.exec(option.flags)?.[1];
  return {
    names,
    description: option.description,
    ...(placeholder !== undefined && {
      value: option.argChoices
        ? { of: option.argChoices }
        : kindOf(option.attributeName() === "stack" ? "stack" : placeholder),
    }),
  };
}

/** `help` takes the names of its sisters. */
function helpEntry(help: Command, parent: Command): CommandEntry {
  const all = parent.createHelp().visibleCommands(parent);
  const of = all.map((each) => each.name()).filter((name) => name !== "help");
  return {
    name: "help",
    description: help.description(),
    options: [],
    arguments: [{ value: { of }, variadic: false }],
    commands: [],
  };
}

/** By the word that `--help` shows in its place. */
function kindOf(placeholder: string): ValueKind {
  switch (placeholder) {
    case "stack":
    case "node":
    case "source":
    case "file":
    case "folder":
      return placeholder;
    default:
      return "other";
  }
}
