/** The commands of a running pipeline. */
import { bind, bindInput, type Argument, type Bound } from "./binding.ts";
import type { Call, Cmdlet, Emit, Shell } from "./commands.ts";
import { toBool, toItems, toText } from "./convert.ts";
import { linesOf } from "./dotnet/encoding.ts";
import type { Host } from "./host.ts";
import { cmdletSignature } from "./parameters.ts";
import type { Scope } from "./scope.ts";
import type { Command, Position } from "./syntax.ts";
import * as is from "./types.ts";
import {
  ErrorRecord,
  isNull,
  Num,
  Raised,
  ScriptBlock,
  Unsupported,
  type Value,
} from "./values.ts";

/** A command, ready to take what comes down the pipeline. */
export interface Stage {
  process(value: Value): void | Promise<void>;
  end(): void | Promise<void>;
}

/** How a command is called. */
export interface Invocation {
  readonly command: Command;
  readonly args: readonly Argument[];
  /** Of the pipeline. */
  readonly scope: Scope;
  readonly emit: Emit;
  /** Something is piped in. */
  readonly piped: boolean;
  /** Ends the pipeline's commands before this one. */
  readonly stop: () => never;
}

/** Something that a command's name leads to: a function, a cmdlet, a script, a program. */
export type Runnable = (invocation: Invocation) => Stage;

/** Runs something once, with all that is piped in. */
export function gathering(piped: boolean, run: (input?: Value[]) => Promise<void>): Stage {
  const input: Value[] = [];
  return {
    process(value) {
      input.push(value);
    },
    end: () => run(piped ? input : undefined),
  };
}

export function program(file: string, { programs, error }: Host): Runnable {
  return ({ args, scope, emit, piped }) =>
    gathering(piped, async (input) => {
      const lines = (input ?? []).map((value) => `${toText(value)}\n`);
      const ended = await programs.run(file, args.flatMap(words), lines.join(""));
      scope.global.setVariable("LASTEXITCODE", ended.exitCode);
      error(ended.stderr);
      for (const line of linesOf(ended.stdout)) {
        await emit(line);
      }
    });
}

/** What a program gets for an argument. */
function words({ name, value, written }: Argument): string[] {
  if (name !== undefined) {
    return [value === undefined ? `-${name}` : `-${name}:${toText(value)}`];
  }
  const given = written ?? value ?? null;
  return isNull(given) ? [] : toItems(given).map(toText);
}

export function cmdletStage(cmdlet: Cmdlet, shell: Shell): Runnable {
  return (invocation) => {
    const { args, piped } = invocation;
    const bound = bind(cmdletSignature(cmdlet, shell.types), args, piped);
    const call = newCall(cmdlet, bound, invocation, shell);
    const { process = () => cmdlet.run?.(call), end } = cmdlet.open?.(call) ?? {};
    const attempt = (run?: () => void | Promise<void>) =>
      located(call.position, () => run?.(), cmdlet);
    return {
      async process(value) {
        bindInput(bound, value);
        await attempt(process);
      },
      async end() {
        await attempt(piped ? undefined : process);
        await attempt(end);
      },
    };
  };
}

function newCall(cmdlet: Cmdlet, bound: Bound, invocation: Invocation, shell: Shell): Call {
  const { scope, command } = invocation;
  const get = (name: string) => bound.values.get(name.toLowerCase());
  /** What a parameter's value is to a cmdlet, if it has one. */
  const as =
    <T>(make: (value: Value) => T) =>
    (name: string) => {
      const value = get(name);
      return value === undefined ? undefined : make(value);
    };
  return {
    ...invocation,
    position: command.position,
    shell,
    name: cmdlet.name,
    get,
    text: as(toText),
    texts: as((value) => toItems(value).map(toText)),
    number: as((value) => Number(value instanceof Num ? value.value : value)),
    flag: (name) => toBool(get(name) ?? false),
    block: as((value) => (value instanceof ScriptBlock ? value : undefined)),
    fail: (error) => {
      complete(error, command.position, cmdlet);
      const preference = toText(get("ErrorAction") ?? scope.errorAction);
      if (/^stop$/i.test(preference)) {
        throw terminating(error);
      }
      report(error, preference, shell.host);
      return Promise.resolve();
    },
  };
}

/** Gives an error its record, with the place where it happened, unless it has one. */
export function complete(
  error: Raised,
  position: Position,
  { implementation }: Partial<Cmdlet> = {},
): ErrorRecord {
  const { exception, id = exception.type.shortName } = error;
  const full = implementation === undefined || id.includes(",") ? id : `${id},${implementation}`;
  error.record ??= new ErrorRecord(is.errorRecord, exception, full, position);
  return error.record;
}

/** Runs something. An error in it that has no place yet happened here, and is the cmdlet's if there is one. */
export async function located<T>(
  position: Position,
  run: () => T | Promise<T>,
  cmdlet?: Cmdlet,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw placed(error, position, cmdlet);
  }
}

/** An error with the place where it happened. */
export function placed(error: unknown, position: Position, cmdlet?: Cmdlet): unknown {
  if (error instanceof Raised && !error.record) {
    complete(error, position, cmdlet);
  }
  return error instanceof Unsupported ? error.at(position) : error;
}

/** Shows an error that ends nothing, as $ErrorActionPreference has it. */
export function report(error: Raised, preference: string, host: Host): void {
  if (!/^(silentlycontinue|ignore)$/i.test(preference)) {
    host.error(`${error.exception.message}\n`);
  }
}

export function terminating(error: Raised): Raised {
  return Object.assign(error, { terminating: true });
}
