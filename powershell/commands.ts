/** How cmdlets are declared: by parameters, and by what they do for each input. */
import type { Host } from "./host.ts";
import type { Scope } from "./scope.ts";
import type { Position } from "./syntax.ts";
import type { Types } from "./types.ts";
import type { Raised, ScriptBlock, Value } from "./values.ts";

/** Hands one value on. Arrays are handed on whole. */
export type Emit = (value: Value) => void | Promise<void>;

export interface ParameterDefinition {
  /** A type's name, e.g. `string[]`; `switch` takes no value. */
  readonly type: string;
  readonly position?: number;
  readonly mandatory?: boolean;
  /** Takes the pipeline's values. */
  readonly pipeline?: "value";
  /** Names that fit, in any case. */
  readonly set?: readonly string[];
  /** Mandatory, and yet null or empty passes. */
  readonly allowEmpty?: boolean;
}

/** One run of a cmdlet. */
export interface Call {
  readonly shell: Shell;
  readonly position: Position;
  /** The command as scripts call it. */
  readonly name: string;
  /** A bound parameter, converted to its type; undefined: not given. */
  get(parameter: string): Value | undefined;
  text(parameter: string): string | undefined;
  texts(parameter: string): string[] | undefined;
  number(parameter: string): number | undefined;
  flag(parameter: string): boolean;
  block(parameter: string): ScriptBlock | undefined;
  readonly emit: Emit;
  /** Ends the pipeline: nothing more is needed from the commands before this one. */
  stop(): never;
  /** The scope in which the command is called. */
  readonly scope: Scope;
  /** An error that -ErrorAction decides about; the cmdlet goes on behind it, unless that says Stop. */
  fail(error: Raised): Promise<void>;
}

export interface Cmdlet {
  /** E.g. `Get-Item`. */
  readonly name: string;
  /** Class that implements it in PowerShell: the second half of its errors' ids. */
  readonly implementation?: string;
  readonly parameters: Readonly<Record<string, ParameterDefinition>>;
  /** For each value out of the pipeline, bound to its parameter; once, where the command stands first. */
  readonly run?: (call: Call) => void | Promise<void>;
  /** In place of `run`, for a cmdlet that keeps something from one value to the next. */
  readonly open?: (call: Call) => {
    readonly process?: () => void | Promise<void>;
    readonly end?: () => void | Promise<void>;
  };
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
