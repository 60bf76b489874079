/** How cmdlets are declared: by parameters, and by what they do for each input. */
import type { Argument } from "./binding.ts";
import { toBool, toItems, toText } from "./convert.ts";
import { complete, report, terminating } from "./errors.ts";
import type { Host } from "./host.ts";
import type { Scope } from "./scope.ts";
import type { Command, Position } from "./syntax.ts";
import type { Types } from "./types.ts";
import { Num, ScriptBlock, type Raised, type Value } from "./values.ts";

/** Hands one value on. Arrays are handed on whole. */
export type Emit = (value: Value) => void | Promise<void>;

export interface ParameterDefinition {
  readonly name: string;
  /** A type's name, e.g. `string[]`; `switch` takes no value. */
  readonly type: string;
  /** Undefined: by name only. */
  readonly position: number | undefined;
  readonly mandatory: boolean;
  /** Names that fit, in any case. */
  readonly set: readonly string[] | undefined;
  /** Mandatory, and yet null or empty passes. */
  readonly allowsEmpty: boolean;
}

export interface Invocation {
  readonly command: Command;
  readonly args: readonly Argument[];
  /** Of the pipeline. */
  readonly scope: Scope;
  readonly emit: Emit;
  readonly piped: boolean;
  /** Ends the pipeline's commands before this one. */
  readonly stop: () => never;
}

export class Call {
  readonly scope: Scope;
  readonly emit: Emit;
  /** Ends the pipeline: nothing more is needed from the commands before this one. */
  readonly stop: () => never;
  readonly position: Position;
  readonly name: string;

  constructor(
    private readonly cmdlet: Cmdlet,
    private readonly values: ReadonlyMap<string, Value>,
    { scope, emit, stop, command }: Invocation,
    readonly shell: Shell,
  ) {
    this.scope = scope;
    this.emit = emit;
    this.stop = stop;
    this.position = command.position;
    this.name = cmdlet.name;
  }

  /** A bound parameter, converted to its type; undefined: not given. */
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

  /** An error that -ErrorAction decides about; the cmdlet goes on behind it, unless that says Stop. */
  fail(error: Raised): Promise<void> {
    complete(error, this.position, this.cmdlet);
    const preference = toText(this.get("ErrorAction") ?? this.scope.errorAction);
    if (/^stop$/i.test(preference)) throw terminating(error);
    report(error, preference, this.shell.host);
    return Promise.resolve();
  }
}

/** For each value out of the pipeline, bound to its parameter; once, where the command stands first. */
type Run = (call: Call) => void | Promise<void>;

type Step = () => void | Promise<void>;

/** For a cmdlet that keeps something from one value to the next. */
type Open = (call: Call) => { readonly process: Step; readonly end: Step };

export interface Cmdlet {
  /** E.g. `Get-Item`. */
  readonly name: string;
  /** What implements it in PowerShell: the second half of its errors' ids. */
  readonly implementation: string;
  readonly parameters: readonly ParameterDefinition[];
  readonly run?: Run;
  readonly open?: Open;
}

/**
 * Cmdlets by their syntax, as `Get-Command -Syntax` shows it:
 *
 *     Get-Thing [-Path] <string[]> -Size <int> [[-Filter] <string>] [-Kind {Big | Small}] [-Force]
 *
 * InputObject takes the pipeline's values. `<string?>` may be empty, though it is mandatory.
 *
 * @param namespace of the classes that implement them; without it they are functions.
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
  /** In a scope of its own, as `&` does. */
  readonly child?: boolean;
  /** `$this`. */
  readonly self?: Value;
}

/** What cmdlets and members may ask of the interpreter that runs them. */
export interface Shell {
  readonly host: Host;
  readonly types: Types;
  /** Runs a block in the current scope; hands each value it outputs on. */
  invoke(block: ScriptBlock, options: BlockOptions, emit: Emit): Promise<void>;
  /** The same, with what it outputs as one value: nothing, the value, or an array. */
  evaluate(block: ScriptBlock, options: BlockOptions): Promise<Value>;
  /** A variable of the scope that is current; undefined: it is not set. */
  variable(name: string): Value | undefined;
  /** Whether a function, a cmdlet or a program has this name. */
  isCommand(name: string): boolean;
}
