/** Variables and functions by name, looked up from the innermost scope outwards. */
import { toText, tryConvert } from "./convert.ts";
import type { FunctionDefinition } from "./syntax.ts";
import * as is from "./types.ts";
import { runtimeError } from "./types.ts";
import { EnumValue, isNull, Unsupported, type NetType, type Value } from "./values.ts";

/** Error preferences. */
const preferences = /^(continue|ignore|silentlycontinue|stop)$/i;

/** Returns what is wrong with a value, or undefined if it is valid. */
export type Validator = (value: Value) => string | undefined;

interface Variable {
  value: Value;
  /** Values assigned to a typed variable are converted to its type. */
  readonly type?: NetType;
  readonly validators?: readonly Validator[];
}

export interface FunctionValue extends Pick<FunctionDefinition, "name" | "body"> {
  /** The scope of the module that defines it. */
  readonly module?: Scope;
}

export class Scope {
  readonly variables = new Map<string, Variable>();
  /** A module's patterns of the functions that it exports. */
  readonly exports: string[] = [];
  readonly #functions = new Map<string, FunctionValue>();
  #strict = false;

  constructor(
    readonly parent?: Scope,
    /** Whether `$script:` refers to this scope. */
    readonly isScript = parent === undefined,
  ) {}

  get local(): this {
    return this;
  }
  get script(): Scope {
    return this.isScript || !this.parent ? this : this.parent.script;
  }
  get global(): Scope {
    return this.parent?.global ?? this;
  }
  get isStrict(): boolean {
    return this.#strict || (this.parent?.isStrict ?? false);
  }
  setStrict(): void {
    this.#strict = true;
  }

  find(name: string): Variable | undefined {
    return this.variables.get(name.toLowerCase()) ?? this.parent?.find(name);
  }
  setVariable(name: string, value: Value): void {
    this.variables.set(name.toLowerCase(), { value });
  }
  /** Assigns a value, converted and validated if the variable is typed. */
  assign(name: string, value: Value): void {
    const { type, validators = [] } = this.variables.get(name.toLowerCase()) ?? {};
    const converted = type ? tryConvert(value, type) : value;
    if (converted === undefined || (isNull(value) && type === is.bool)) {
      throw new Unsupported(`a value of another type for the variable $${name}`);
    }
    if (validators.some((problem) => problem(converted) !== undefined)) {
      const message = `The variable cannot be validated because the value ${toText(value)} is not a valid value for the ${name} variable.`;
      throw runtimeError("ValidateSetFailure", message, "ValidationMetadataException");
    }
    this.variables.set(name.toLowerCase(), { value: converted, type, validators });
  }
  /** The default of -ErrorAction. */
  get errorAction(): string {
    const preference = this.find("ErrorActionPreference")?.value ?? null;
    const name = toText(preference);
    const isName = typeof preference === "string" || preference instanceof EnumValue;
    // Others ask the user, are one of these only at some places, or are refused later.
    if (!isNull(preference) && !(isName && preferences.test(name))) {
      throw new Unsupported("an error preference but Continue, Ignore, SilentlyContinue and Stop");
    }
    return name;
  }

  findFunction(name: string): FunctionValue | undefined {
    return this.#functions.get(name.toLowerCase()) ?? this.parent?.findFunction(name);
  }
  get functions(): Iterable<FunctionValue> {
    return this.#functions.values();
  }
  setFunction(name: string, func: FunctionValue): void {
    this.#functions.set(name.toLowerCase(), func);
  }
}
