/** Declares cmdlets: their parameters, and what they do for each input. */
import { toBool, toItems, toText } from "./convert.ts";
import { complete, report, terminating } from "./errors.ts";
import type { ScriptHost } from "./host.ts";
import type { Scope } from "./scope.ts";
import type { Command, Position } from "./syntax.ts";
import type { Types } from "./types.ts";
import { Num, ScriptBlock, type Raised, type Value } from "./values.ts";

/** Outputs one value. Arrays are not unrolled. */
export type Emit = (value: Value) => void | Promise<void>;

export interface ParameterDefinition {
  readonly name: string;
  /** A type's name, e.g. `string[]`; `switch` takes no value. */
  readonly type: string;
  /** Undefined if it can be given by name only. */
  readonly position: number | undefined;
  readonly mandatory: boolean;
  /** Accepted values, in any case. */
  readonly set: readonly string[] | undefined;
  /** Accepts null and empty values although it is mandatory. */
  readonly allowsEmpty: boolean;
}

/** An argument as written: `value`, `-name` or `-name:value`. */
export interface Argument {
  readonly name?: string;
  readonly value?: Value;
  /** The source text of a bare number. */
  readonly written?: string;
  /** From a table. */
  readonly splatted?: boolean;
  /** Goes to $args even if a positional parameter is free. */
  readonly unbound?: boolean;
  readonly position: Position;
}

export interface Invocation {
  readonly command: Command;
  readonly args: readonly Argument[];
  /** The pipeline's scope. */
  readonly scope: Scope;
  readonly emit: Emit;
  readonly piped: boolean;
  /** Stops the commands before this one in the pipeline. */
  readonly stop: () => never;
}

export class Call {
  readonly scope: Scope;
  readonly emit: Emit;
  /** Stops the commands before this one in the pipeline: no more input is needed. */
  readonly stop: () => never;
  readonly position: Position;
  readonly name: string;
  /** What names the arguments that were not given by place, as written. */
  readonly names: readonly string[];

  constructor(
    private readonly cmdlet: Cmdlet,
    private readonly values: ReadonlyMap<string, Value>,
    { scope, emit, stop, command, args }: Invocation,
    readonly shell: Shell,
  ) {
    this.scope = scope;
    this.emit = emit;
    this.stop = stop;
    this.position = command.position;
    this.name = cmdlet.name;
    this.names = args.flatMap(({ name }) => name ?? []);
  }

  /** A parameter's value, converted to its type. Undefined if it was not given. */
  get(parameter: string): Value | undefined {
    return this.values.get(parameter.toLowerCase());
  }
  text(parameter: string): string | undefined {
    return this.#as(parameter, toText);
  }
  texts(parameter: string): string[] | undefined {
    return this.#as(parameter, (value) => toItems(value).map(toText));
  }
  number(parameter: string): number | undefined {
    return this.#as(parameter, (value) => Number(value instanceof Num ? value.value : value));
  }
  flag(parameter: string): boolean {
    return toBool(this.get(parameter) ?? false);
  }
  block(parameter: string): ScriptBlock | undefined {
    return this.#as(parameter, (value) => (value instanceof ScriptBlock ? value : undefined));
  }
  #as<T>(parameter: string, make: (value: Value) => T): T | undefined {
    const value = this.get(parameter);
    return value === undefined ? undefined : make(value);
  }

  /** Reports a non-terminating error. Throws it if -ErrorAction or $ErrorActionPreference is Stop. */
  fail(error: Raised): Promise<void> {
    complete(error, this.position, this.cmdlet);
    const preference = toText(this.get("ErrorAction") ?? this.scope.errorAction);
    if (/^stop$/i.test(preference)) throw terminating(error);
    report(error, preference, this.shell.host);
    return Promise.resolve();
  }
}

/** Runs once for each value from the pipeline; once in all if the command is the first in its pipeline. */
type Run = (call: Call) => void | Promise<void>;

type Step = () => void | Promise<void>;

/** For cmdlets that keep state between values. */
type Open = (call: Call) => { readonly process: Step; readonly end: Step };

export interface Cmdlet {
  /** E.g. `Get-Item`. */
  readonly name: string;
  /** The class that implements it in PowerShell, which is the second half of its error ids. */
  readonly implementation: string;
  readonly parameters: readonly ParameterDefinition[];
  readonly run?: Run;
  readonly open?: Open;
}

/**
 * Declares cmdlets by their syntax, as `Get-Command -Syntax` shows it:
 *
 *     Get-Thing [-Path] <string[]> -Size <int> [[-Filter] <string>] [-Kind {Big | Small}] [-Force]
 *
 * InputObject takes the pipeline's values. `<string?>` accepts null and empty values although it is mandatory.
 *
 * @param namespace The namespace of the classes that implement them. Without it they are functions.
 */
export function cmdlets(
  all: Readonly<Record<string, Run | { readonly open: Open }>>,
  namespace?: string,
): readonly Cmdlet[] {
  return Object.entries(all).map(([syntax, code]) => {
    const [name = ""] = syntax.split(" ", 1);
    const implementation = namespace ? `${namespace}.${name.replace("-", "")}Command` : name;
    const parameters = parametersOf(syntax.slice(name.length));
    return {
      name,
      implementation,
      parameters,
      ...(typeof code === "function" ? { run: code } : code),
    };
  });
}

function parametersOf(syntax: string): ParameterDefinition[] {
  const written = /(\[?\[)?-(\w+)(\])?(?: <([^>?]+)(\?)?>| \{([^}]+)\})?/g;
  return [...syntax.matchAll(written)].map(
    ([, opening, name = "", closing, type, empty, set], at) => {
      const hasValue = type !== undefined || set !== undefined;
      const isPositional = closing !== undefined && hasValue;
      return {
        name,
        type: type ?? (hasValue ? "string" : "switch"),
        position: isPositional ? at : undefined,
        mandatory: opening === undefined || (opening === "[" && isPositional),
        set: set?.split(" | "),
        allowsEmpty: empty !== undefined,
      };
    },
  );
}

export interface BlockOptions {
  /** `$_`. */
  readonly underscore?: Value;
  readonly args?: readonly Value[];
  /** Run in a child scope, as `&` does. */
  readonly child?: boolean;
  /** `$this`. */
  readonly self?: Value;
}

/** The part of the interpreter that cmdlets and members use. */
export interface Shell {
  readonly host: ScriptHost;
  readonly types: Types;
  /** Runs a block in the current scope and passes each value it outputs to `emit`. */
  invoke(block: ScriptBlock, options: BlockOptions, emit: Emit): Promise<void>;
  /** Runs a block and returns its output: `nothing`, the only value, or an array. */
  evaluate(block: ScriptBlock, options: BlockOptions): Promise<Value>;
  /** A variable of the current scope. Undefined if it is not set. */
  variable(name: string): Value | undefined;
  /** Runs a module's file, and defines the functions that it exports. */
  importModule(path: string): Promise<void>;
  /** Whether a module of this name has been imported. */
  hasModule(name: string): boolean;
  /** Whether a function, a cmdlet or a program has this name. */
  isCommand(name: string): boolean;
}
