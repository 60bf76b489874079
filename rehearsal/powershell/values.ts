/** The values in variables and pipelines. */
import { placeOf, type Position, type ScriptBody } from "./syntax.ts";

/**
 * A value: `null`, a boolean, a string, an Int32 as number, an Int64 as bigint, or an object with a type.
 *
 * `nothing` is the result of a command without output (AutomationNull). Operators treat it as null, but a pipeline does
 * not run for it and `@( )` leaves it out.
 */
export type Value = null | boolean | string | number | bigint | Instance;

export interface Instance {
  readonly type: NetType;
}

/** The result of a member. .NET errors are thrown as `Raised`. */
export type Result = Value | Promise<Value>;

export interface Property {
  readonly name: string;
  get(self: Value): Result;
  set?(self: Value, value: Value): void | Promise<void>;
}

export interface Overload {
  readonly name: string;
  readonly parameters: readonly string[];
  /** Which parameters can be null. */
  readonly nullable: readonly boolean[];
  call(self: Value, args: readonly Value[]): Result | void | Promise<void>;
}

/** A .NET type with the members that are modelled, by name in lower case. */
export class NetType {
  get type(): NetType {
    return runtimeType;
  }
  readonly properties = new Map<string, Property>();
  readonly methods = new Map<string, Overload[]>();
  readonly staticProperties = new Map<string, Property>();
  readonly staticMethods = new Map<string, Overload[]>();
  readonly constructors: Overload[] = [];
  /** Names of implemented interfaces, in lower case. */
  interfaces: readonly string[] = [];
  enumeration?: ReadonlyMap<string, EnumValue>;
  /** Orders two values of the type. Undefined if they have no order. */
  compare?: (left: Value, right: Value) => number;
  /** Subtracts two values of the type. Undefined if that is not modelled. */
  subtract?: (left: Value, right: Value) => Value;
  /** The elements that loops and pipelines unroll. Undefined if the type is not a collection. */
  enumerate?: (value: Value) => readonly Value[];
  /** The same where their order is one of chance, and `enumerate` refuses. */
  bag?: (value: Value) => readonly Value[];
  /** Whether a value counts as true. Undefined if each does. */
  truth?: (value: Value) => boolean;
  /** How often the elements have changed. Undefined if they can while a loop goes through them. */
  changes?: (value: Value) => number;
  /** Null cannot be of this type: it converts to another value, e.g. 0, or not at all. */
  isValueType = false;
  hresult?: number;

  constructor(
    readonly name: string,
    readonly base: NetType | undefined = undefined,
    readonly element: NetType | undefined = undefined,
  ) {}

  get shortName(): string {
    return this.name.slice(this.name.lastIndexOf(".") + 1);
  }

  get errorNumber(): number {
    return this.hresult ?? this.base?.errorNumber ?? -2146233088;
  }

  get lineage(): readonly NetType[] {
    return [this, ...(this.base?.lineage ?? [])];
  }

  /** Whether this type is the other one, derives from it, or implements it. */
  is(other: NetType): boolean {
    return (
      this === other ||
      other.name === "System.Object" ||
      (this.isValueType && other.name === "System.ValueType") ||
      this.interfaces.includes(other.name.toLowerCase()) ||
      (other.element !== undefined &&
        this.element?.isValueType === false &&
        this.element.is(other.element)) ||
      (this.base?.is(other) ?? false)
    );
  }

  /** Whether this type or a base of it has the name, full or short. */
  isNamed(name: string): boolean {
    const names = this.lineage.flatMap((each) => [each.name, each.shortName]);
    return names.some((each) => each.toLowerCase() === name.toLowerCase());
  }

  property(name: string): Property | undefined {
    return this.properties.get(name) ?? this.base?.property(name);
  }

  staticOverloads(name: string): readonly Overload[] {
    return this.staticMethods.get(name) ?? this.base?.staticOverloads(name) ?? [];
  }

  overloads(name: string): readonly Overload[] {
    return this.methods.get(name) ?? this.base?.overloads(name) ?? [];
  }
}

const runtimeType = new NetType("System.RuntimeType");

class Nothing {
  /** Keeps TypeScript from treating every object as a Nothing. */
  protected readonly isNothing = true;
  readonly type = new NetType("System.Management.Automation.Internal.AutomationNull");
}
export const nothing = new Nothing();

export function isNull(value: Value): value is null | Nothing {
  return value === null || value === nothing;
}

/** A number that is neither an Int32 nor an Int64. */
export class Num {
  constructor(
    readonly type: NetType,
    readonly value: number,
  ) {}
}

export class Char {
  constructor(
    readonly type: NetType,
    readonly code: number,
  ) {}

  get text(): string {
    return String.fromCharCode(this.code);
  }
}

export class EnumValue {
  constructor(
    readonly type: NetType,
    readonly name: string,
    readonly number: number,
  ) {}
}

export class PsArray {
  constructor(
    readonly type: NetType,
    readonly items: Value[],
  ) {}
}

/** As in PowerShell, string keys ignore case. All other keys are compared by type and value. */
export class Hashtable {
  readonly #entries = new Map<string, { key: Value; value: Value }>();
  /** How often it has changed, which ends what goes through it. */
  changes = 0;

  constructor(readonly type: NetType) {}

  static keyOf(key: Value): string {
    if (key === null) throw new Unsupported("a key that is null");
    if (typeof key === "string") {
      // 5.1 compares keys as a language does, 7 by their codes.
      if (/[^\t\n\r -~]/.test(key)) throw new Unsupported(`the key ${key} of a table`);
      return `s${key.toLowerCase()}`;
    }
    if (key !== null && typeof key === "object") {
      throw new Unsupported(`a key of the type [${key.type.name}]`);
    }
    return `${typeof key}${String(key)}`;
  }

  get size(): number {
    return this.#entries.size;
  }
  has(key: Value): boolean {
    return this.#entries.has(Hashtable.keyOf(key));
  }
  get(key: Value): Value | undefined {
    return this.#entries.get(Hashtable.keyOf(key))?.value;
  }
  set(key: Value, value: Value): void {
    this.changes++;
    this.#entries.set(Hashtable.keyOf(key), { key, value });
  }
  delete(key: Value): void {
    this.changes++;
    this.#entries.delete(Hashtable.keyOf(key));
  }
  entries(): { key: Value; value: Value }[] {
    return [...this.#entries.values()];
  }
  /** In .NET it is one of chance. */
  refuseOrder(): void {
    if (this.type.name === "System.Collections.Hashtable" && this.size > 1) {
      throw new Unsupported("the order in a table that is not [ordered]");
    }
  }
}

/** Names of members that every value has. */
export const reserved = /^ps(object|base|adapted|extended|typenames)$/i;

/** A `[pscustomobject]`, or an object that a model of a machine represents as one. */
export class CustomObject {
  /** By name in lower case. */
  readonly properties = new Map<string, { name: string; value: Value }>();
  typeNames: string[] = [];

  constructor(readonly type: NetType) {}

  set(name: string, value: Value): this {
    const key = name.toLowerCase();
    const property = this.properties.get(key);
    if (property) {
      property.value = value;
    } else if (name === "" || reserved.test(name)) {
      throw new Unsupported(`a property with the name '${name}'`);
    } else {
      this.properties.set(key, { name, value });
    }
    return this;
  }

  get(name: string): Value | undefined {
    return this.properties.get(name.toLowerCase())?.value;
  }
}

/** The value of a switch parameter. */
export class Switch {
  constructor(
    readonly type: NetType,
    readonly isPresent: boolean,
  ) {}
}

export class ScriptBlock {
  constructor(
    readonly type: NetType,
    readonly body: ScriptBody,
  ) {}
}

/** An object of a .NET type that the interpreter implements in TypeScript, as `state`. */
export class NetObject<State = unknown> {
  constructor(
    readonly type: NetType,
    readonly state: State,
  ) {}
}

/** In a message that .NET words otherwise, in a way that is not modelled. Scripts cannot read it. */
export const unknownWords = "\ufdd0";

export class NetException {
  /** Whether its text has the places that it was thrown from. */
  wasThrown = false;
  readonly data = new Hashtable(dictionaryType);

  constructor(
    readonly type: NetType,
    public message: string,
    readonly inner: NetException | null = null,
    public hresult = type.errorNumber,
  ) {}

  /** The message for a script. */
  get words(): string {
    if (this.message.includes(unknownWords)) throw new Unsupported("the words of such an error");
    return this.message;
  }

  /** The one in it, for a script. */
  get cause(): NetException | null {
    const isCast = this.type.shortName === "PSInvalidCastException";
    if (isCast && this.inner === null && this.message.includes(unknownWords)) {
      throw new Unsupported("the inner exception of such an error");
    }
    return this.inner;
  }

  get root(): NetException {
    return this.cause?.root ?? this;
  }
}

export const dictionaryType = new NetType("System.Collections.ListDictionaryInternal");
dictionaryType.interfaces = ["system.collections.idictionary"];

/** The value of `$_` in a catch block. */
export class ErrorRecord {
  constructor(
    readonly type: NetType,
    readonly exception: NetException,
    private readonly fullId: string,
    readonly position: Position | undefined,
  ) {}

  /** Of a cmdlet's error a catch with a type does not have the cmdlet's part of the id, which is not modelled. */
  get inTypedCatch(): ErrorRecord {
    if (!this.fullId.includes(",")) return this;
    return new ErrorRecord(this.type, this.exception, unknownWords, this.position);
  }

  get id(): string {
    if (this.fullId.includes(unknownWords)) throw new Unsupported("the id of such an error");
    return this.fullId;
  }
}

/** A PowerShell error, which a script can catch. */
export class Raised extends Error {
  /** Whether a list of values that were output before it is gone. */
  hasLostOutput = false;
  /** Set once the error has left the statement in which it happened. */
  record: ErrorRecord | undefined;
  readonly id: string | undefined;
  /** Ends the script even if $ErrorActionPreference is Continue, as `throw` and -ErrorAction Stop do. */
  terminating: boolean;

  constructor(
    readonly exception: NetException,
    {
      record,
      id,
      terminating = false,
    }: Partial<Pick<Raised, "record" | "id" | "terminating">> = {},
  ) {
    super(exception.message);
    this.record = record;
    this.id = id;
    this.terminating = terminating;
  }
}

/**
 * Thrown for anything the interpreter does not know. It is not a PowerShell error: no catch block catches it, so the
 * script stops before it could do the wrong thing.
 */
export class Unsupported extends Error {
  constructor(
    readonly what: string,
    public position?: Position,
  ) {
    super(what);
    this.name = "Unsupported";
  }

  at(position: Position): this {
    if (!this.position) {
      this.position = position;
      this.message = `${placeOf(position)}: the interpreter does not support ${this.what}`;
    }
    return this;
  }
}
