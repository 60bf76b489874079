import type { Command, Option } from "commander";

import { controlPlaneName, stepsName } from "../logs/follow/log-stream.ts";

/** Kind of an argument or of an option's value. */
type ValueKind =
  "stack" | "node" | "source" | "file" | "folder" | "other" | { of: readonly string[] };

/** An option as it is typed. */
interface OptionEntry {
  /** Its long name and its short one, e.g. `--stack` and `-s`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Undefined if it takes no value. */
  readonly value?: ValueKind;
}

/** Something that could be typed next. */
export interface Candidate {
  readonly value: string;
  /** Empty if the value needs none. */
  readonly description: string;
}

/** What could be typed next; files and folders the shell knows itself. */
export type Completion = readonly Candidate[] | "files" | "folders";

/** Names that come from settings. */
export interface KnownNames {
  /** The stack if no option names one. */
  readonly defaultStack: string;
  stacks(): Promise<readonly string[]>;
  /** Nodes of a stack; none if its settings cannot be read. */
  nodes(stack: string): Promise<readonly string[]>;
}

/**
 * Completions of the last word of a command line.
 *
 * @param words those after the program's name; the last one is being typed, and may be empty. bash has `--stack=x` as
 *   three words, and wants the third; other shells have one, and want all of it.
 */
export async function complete(
  program: Command,
  words: readonly string[],
  known: KnownNames,
): Promise<Completion> {
  const typed = joined(words);
  const current = typed.at(-1) ?? "";
  const line = readLine(program, typed.slice(0, -1), known.defaultStack);
  const assigned = /^(--[^=]+)=(.*)$/s.exec(current);
  if (line.afterDashes) {
    return [];
  }
  if (line.pending?.value !== undefined) {
    return valuesOf(line.pending.value, current, line.stack, known);
  }
  if (assigned) {
    const [, name = "", start = ""] = assigned;
    const value = optionNamed(line.options, name)?.value;
    const found = value === undefined ? [] : await valuesOf(value, start, line.stack, known);
    return typeof found === "string" || words.at(-1) !== current
      ? found
      : found.map((each) => ({ ...each, value: `${name}=${each.value}` }));
  }
  if (current.startsWith("-")) {
    return startingWith(
      line.options.flatMap(({ names, description }) =>
        names.map((value) => ({ value, description })),
      ),
      current,
    );
  }
  const below = commandsBelow(line.command);
  if (below.length > 0) {
    return startingWith(below, current);
  }
  const operands = line.command.registeredArguments;
  const last = operands.at(-1);
  const operand = operands[line.operands] ?? (last?.variadic ? last : undefined);
  if (operand === undefined) {
    return [];
  }
  // `help` takes the names of the other commands.
  const sisters = commandsBelow(line.parent).flatMap(({ value }) =>
    value === "help" ? [] : value,
  );
  const of = line.command.name() === "help" ? sisters : operand.argChoices;
  return valuesOf(of ? { of } : kindOf(operand.name()), current, line.stack, known);
}

/** What the words before the last one mean. */
interface Line {
  readonly command: Command;
  /** Its parent; the program is its own parent. */
  readonly parent: Command;
  /** The command's options, and those of the commands above it. */
  readonly options: readonly OptionEntry[];
  /** An option whose value comes next. */
  readonly pending: OptionEntry | undefined;
  readonly operands: number;
  readonly stack: string;
  readonly afterDashes: boolean;
}

function readLine(program: Command, words: readonly string[], defaultStack: string): Line {
  let command = program;
  let parent = program;
  let options = optionsOf(program);
  let pending: OptionEntry | undefined;
  let operands = 0;
  let stack = defaultStack;
  for (const word of words) {
    if (pending !== undefined) {
      stack = pending.value === "stack" ? word : stack;
      pending = undefined;
    } else if (word === "--") {
      return { command, parent, options, pending, operands, stack, afterDashes: true };
    } else if (word.startsWith("-") && word !== "-") {
      const [name = "", value] = word.split(/=(.*)/s);
      const option = optionNamed(options, name);
      if (option?.value !== undefined && value === undefined) {
        pending = option;
      } else if (option?.value === "stack" && value !== undefined) {
        stack = value;
      }
    } else {
      const below = command.createHelp().visibleCommands(command);
      const next = below.find((each) => each.name() === word);
      if (next === undefined) {
        operands += 1;
      } else {
        parent = command;
        command = next;
        options = [...optionsOf(next), ...options];
      }
    }
  }
  options = options.filter(
    ({ names }, at) => options.findIndex((each) => each.names[0] === names[0]) === at,
  );
  return { command, parent, options, pending, operands, stack, afterDashes: false };
}

/** `--stack`, `=`, `x` as one word again. */
function joined(words: readonly string[]): readonly string[] {
  const result: string[] = [];
  for (const word of words) {
    const before = result.at(-1) ?? "";
    if (/^--[^=]+$/.test(before) && word === "=") {
      result.splice(-1, 1, `${before}=`);
    } else if (/^--[^=]+=$/.test(before) && word !== "") {
      result.splice(-1, 1, before + word);
    } else if (!(/^--[^=]+=$/.test(before) && word === "")) {
      result.push(word);
    }
  }
  return result;
}

function optionNamed(options: readonly OptionEntry[], name: string): OptionEntry | undefined {
  return options.find(({ names }) => names.includes(name));
}

async function valuesOf(
  kind: ValueKind,
  start: string,
  stack: string,
  known: KnownNames,
): Promise<Completion> {
  const named = (values: readonly string[]): Completion =>
    startingWith(
      values.map((value) => ({ value, description: "" })),
      start,
    );
  switch (kind) {
    case "stack":
      return named(await known.stacks());
    case "node":
      return named(await known.nodes(stack));
    case "source":
      return named([...(await known.nodes(stack)), controlPlaneName, stepsName]);
    case "file":
      return "files";
    case "folder":
      return "folders";
    case "other":
      return [];
    default:
      return named(kind.of);
  }
}

function startingWith(candidates: readonly Candidate[], start: string): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(start));
}

/** Subcommands as `--help` lists them, so that help and completion agree. */
function commandsBelow(command: Command): readonly Candidate[] {
  const help = command.createHelp();
  return help.visibleCommands(command).map((each) => ({
    ...{ value: each.name(), description: help.subcommandDescription(each) },
  }));
}

function optionsOf(command: Command): readonly OptionEntry[] {
  // `help` has no subcommands.
  return command.name() === "help"
    ? []
    : command.createHelp().visibleOptions(command).map(optionEntry);
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
