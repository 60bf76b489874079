import path from "node:path";
import type { Argument, Command, Option } from "commander";

import { nodesOnMachines } from "../../config/settings.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { controlPlaneName, stepsName } from "../logs/follow/log-stream.ts";
import { knownStacks, stackSettings } from "../stack-settings.ts";
import type { Shell } from "../command-line/options.ts";
import { completionScript } from "./shell-scripts.ts";

/** `kindows completion`: prints the script with which a shell completes kindows' command lines. */
export function printCompletion({ shell }: { readonly shell: Shell }): Promise<void> {
  process.stdout.write(completionScript(shell, path.join(projectRoot, "kindows")));
  return Promise.resolve();
}

/**
 * Called by the shells' scripts. Prints a line for each word that can come next, with its description after a tab; or
 * `:files` or `:folders`, which the shell completes itself.
 *
 * @param words the words of the command line after `kindows`; the last one is being typed.
 */
export async function printCandidates(
  program: Command,
  words: readonly string[],
  defaultStack: string,
): Promise<void> {
  const found = await complete(program, words, {
    defaultStack,
    stacks: knownStacks,
    nodes: async (stack) =>
      stackSettings(stack).then(
        (settings) => nodesOnMachines(settings).map(({ name }) => name),
        () => [],
      ),
  });
  const lines =
    typeof found === "string"
      ? [`:${found}`]
      : found.map(({ value, description }) => `${value}\t${description}`);
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** Words that can come next, or `files` or `folders`, which the shell completes itself. */
export type Completion = readonly Candidate[] | "files" | "folders";

export interface KnownNames {
  /** The stack if no option names one. */
  readonly defaultStack: string;
  stacks(): Promise<readonly string[]>;
  nodes(stack: string): Promise<readonly string[]>;
}

/**
 * Completions of the last word of a command line.
 *
 * @param words the words after the program's name; the last one is being typed, and may be empty. bash splits
 *   `--stack=x` into three words and completes the third; other shells complete it as one word.
 */
export async function complete(
  program: Command,
  words: readonly string[],
  known: KnownNames,
): Promise<Completion> {
  const typed = joined(words);
  const current = typed.at(-1) ?? "";
  const line = readLine(program, typed.slice(0, -1), known.defaultStack);
  const { command, options, stack } = line;
  if (line.afterDashes) return [];
  if (line.pending !== undefined) return valuesOf(line.pending, current, stack, known);
  const [, name = "", start] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (start !== undefined) {
    const option = optionNamed(options, name);
    const found = option?.required ? await valuesOf(option, start, stack, known) : [];
    return typeof found === "string" || words.at(-1) !== current
      ? found
      : found.map((each) => ({ ...each, value: `${name}=${each.value}` }));
  }
  if (current.startsWith("-")) {
    const names = options.flatMap(({ long, short, description }) =>
      [long, short].flatMap((value) => (value ? [{ value, description }] : [])),
    );
    return startingWith(names, current);
  }
  const below = commandsBelow(command);
  if (below.length > 0) return startingWith(below, current);
  // `help` takes the names of the other commands.
  if (command.name() === "help") {
    const others = commandsBelow(line.parent).filter(({ value }) => value !== "help");
    return line.operands === 0 ? startingWith(others, current) : [];
  }
  const last = command.registeredArguments.at(-1);
  const operand = command.registeredArguments[line.operands] ?? (last?.variadic ? last : undefined);
  return operand === undefined ? [] : valuesOf(operand, current, stack, known);
}

interface Line {
  command: Command;
  parent: Command;
  /** The command's options, and those of the commands above it. */
  options: readonly Option[];
  pending?: Option | undefined;
  operands: number;
  stack: string;
  afterDashes: boolean;
}

function readLine(program: Command, words: readonly string[], defaultStack: string): Line {
  const line: Line = {
    command: program,
    parent: program,
    options: optionsOf(program),
    operands: 0,
    stack: defaultStack,
    afterDashes: false,
  };
  for (const word of words) {
    if (line.pending !== undefined) {
      if (isStack(line.pending)) line.stack = word;
      line.pending = undefined;
    } else if (word === "--") {
      line.afterDashes = true;
      break;
    } else if (word.startsWith("-") && word !== "-") {
      const [name = "", value] = word.split(/=(.*)/s);
      const option = optionNamed(line.options, name);
      if (option?.required && value === undefined) line.pending = option;
      else if (option && isStack(option) && value !== undefined) line.stack = value;
    } else {
      const { command, options } = line;
      const below = command.createHelp().visibleCommands(command);
      const next = below.find((each) => each.name() === word);
      if (next === undefined) {
        line.operands += 1;
        continue;
      }
      // If several commands have an option of the same name, the innermost command's counts.
      const own = optionsOf(next);
      const others = options.filter(({ long }) => !own.some((each) => each.long === long));
      Object.assign(line, { parent: command, command: next, options: [...own, ...others] });
    }
  }
  return line;
}

function optionNamed(options: readonly Option[], name: string): Option | undefined {
  return options.find(({ long, short }) => name === long || name === short);
}

const isStack = (option: Option): boolean => option.attributeName() === "stack";

/** `--stack`, `=`, `x` as one word again. */
function joined(words: readonly string[]): readonly string[] {
  const result: string[] = [];
  for (const word of words) {
    const before = result.at(-1) ?? "";
    const isContinued = /^--[^=]+=$/.test(before) || (/^--[^=]+$/.test(before) && word === "=");
    if (isContinued) result.splice(-1, 1, before + word);
    else result.push(word);
  }
  return result;
}

async function valuesOf(
  completed: Argument | Option,
  start: string,
  stack: string,
  known: KnownNames,
): Promise<Completion> {
  const named = (values: readonly string[]): Completion =>
    startingWith(
      values.map((value) => ({ value, description: "" })),
      start,
    );
  if (completed.argChoices) return named(completed.argChoices);
  switch (placeholderOf(completed)) {
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
    default:
      return [];
  }
}

/** Placeholder of an argument or of an option's value in `--help`. */
function placeholderOf(completed: Argument | Option): string {
  if (!("flags" in completed)) return completed.name();
  return isStack(completed) ? "stack" : (/<([^>]+)>/.exec(completed.flags)?.[1] ?? "");
}

function startingWith(candidates: readonly Candidate[], start: string): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(start));
}

/** Subcommands as `--help` lists them, so that help and completion agree. */
function commandsBelow(command: Command): readonly Candidate[] {
  const help = command.createHelp();
  return help.visibleCommands(command).map((each) => ({
    value: each.name(),
    description: help.subcommandDescription(each),
  }));
}

/** The options that `--help` lists. `help` itself has none. */
function optionsOf(command: Command): readonly Option[] {
  return command.name() === "help" ? [] : command.createHelp().visibleOptions(command);
}
