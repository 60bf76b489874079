/** Variables and functions by name, looked up from the innermost scope outwards. */
import type { Validator } from "./binding.ts";
import type { FunctionDefinition, ScriptBody } from "./syntax.ts";
import type { NetType, Value } from "./values.ts";

export interface VariableSlot {
  value: Value;
  /** A typed variable converts whatever it is given. */
  readonly type?: NetType | undefined;
  readonly validators?: readonly Validator[];
}

export interface FunctionValue {
  readonly name: string;
  readonly body: ScriptBody;
  readonly definition?: FunctionDefinition;
}

export class Scope {
  readonly variables = new Map<string, VariableSlot>();
  readonly functions = new Map<string, FunctionValue>();
  /** Whether Set-StrictMode was called here; undefined: not. */
  strict: boolean | undefined;

  constructor(
    readonly parent: Scope | undefined,
    /** Where `$script:` leads. */
    readonly isScript: boolean,
  ) {}

  find(name: string): VariableSlot | undefined {
    return this.variables.get(name) ?? this.parent?.find(name);
  }

  findFunction(name: string): FunctionValue | undefined {
    return this.functions.get(name) ?? this.parent?.findFunction(name);
  }

  functionNames(): string[] {
    const own = [...this.functions.values()].map(({ name }) => name);
    return [...own, ...(this.parent?.functionNames() ?? [])];
  }

  get isStrict(): boolean {
    return this.strict ?? this.parent?.isStrict ?? false;
  }

  get script(): Scope {
    return this.isScript || !this.parent ? this : this.parent.script;
  }

  get global(): Scope {
    return this.parent ? this.parent.global : this;
  }
}
