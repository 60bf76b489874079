/** The types that scripts can name, and how their members are declared. */
import {
  Char,
  EnumValue,
  NetException,
  type NetObject,
  NetType,
  Num,
  PsArray,
  Raised,
  type ErrorRecord,
  type Instance,
  type Overload,
  type Property,
  type Result,
  type Value,
} from "./values.ts";

/** A member's code. `self` is the object; for statics and constructors it is null. */
type Code = (self: never, ...args: never[]) => Result | void | Promise<void>;

export interface TypeDefinition {
  /** Full name, e.g. `System.IO.FileInfo`. */
  readonly name: string;
  /** Further names, e.g. `int`. */
  readonly aliases?: readonly string[];
  /** Full name. Default: System.Object. */
  readonly base?: string;
  readonly interfaces?: readonly string[];
  /** Names of an enumeration, with their numbers. */
  readonly enumeration?: Readonly<Record<string, number>>;
  readonly isValueType?: boolean;
  readonly convert?: (value: Value) => Value | undefined;
  readonly enumerate?: (value: never) => readonly Value[];
  /** By name as .NET writes it; two functions: it can be set as well. */
  readonly properties?: Readonly<Record<string, Code | readonly [Code, Code]>>;
  /** By signature: `Substring(int, int)`, `Join(string, params object[])`. */
  readonly methods?: Readonly<Record<string, Code>>;
  readonly staticProperties?: Readonly<Record<string, Code | readonly [Code, Code]>>;
  readonly staticMethods?: Readonly<Record<string, Code>>;
  /** By parameters: `(string)`, `(string, int)`. */
  readonly constructors?: Readonly<Record<string, Code>>;
  /** Members that .NET has and the interpreter has not. */
  readonly unsupported?: readonly string[];
}

/** What is added to a type that is there. */
export type TypeExtension = Omit<
  TypeDefinition,
  "name" | "aliases" | "base" | "enumeration" | "isValueType"
>;

/** Types by their names. One set adds to another, as a model of a machine adds its own. */
export class Types {
  readonly #byName = new Map<string, NetType>();
  readonly #arrays = new Map<NetType, NetType>();

  constructor(readonly parent?: Types) {}

  /** A type by any of its names, with `[]` behind it for an array. */
  find(name: string): NetType | undefined {
    if (name.endsWith("[]")) {
      const element = this.find(name.slice(0, -2));
      return element && this.array(element);
    }
    const key = name.toLowerCase();
    return this.#byName.get(key) ?? this.#byName.get(`system.${key}`) ?? this.parent?.find(name);
  }

  get(name: string): NetType {
    const type = this.find(name);
    if (!type) {
      throw new Error(`no type ${name} is defined`);
    }
    return type;
  }

  array(element: NetType): NetType {
    const known = this.parent?.knownArray(element) ?? this.#arrays.get(element);
    if (known) {
      return known;
    }
    const type = new NetType(`${element.name}[]`, this.get("System.Array"), element);
    this.#arrays.set(element, type);
    return type;
  }

  protected knownArray(element: NetType): NetType | undefined {
    return this.#arrays.get(element);
  }

  all(): NetType[] {
    return [...(this.parent?.all() ?? []), ...new Set(this.#byName.values())];
  }

  define(definition: TypeDefinition): NetType {
    const base =
      definition.name === "System.Object"
        ? undefined
        : this.get(definition.base ?? (definition.enumeration ? "System.Enum" : "System.Object"));
    const type = new NetType(definition.name, base);
    type.isValueType = definition.isValueType ?? definition.enumeration !== undefined;
    if (definition.enumeration) {
      type.enumeration = new Map(
        Object.entries(definition.enumeration).map(([name, number]) => [
          name.toLowerCase(),
          new EnumValue(type, name, number),
        ]),
      );
    }
    this.register(type, definition.name, ...(definition.aliases ?? []));
    return this.extend(type, definition);
  }

  /** Makes a type known by names. */
  register(type: NetType, ...names: string[]): void {
    for (const name of names) {
      this.#byName.set(name.toLowerCase(), type);
    }
  }

  extend(of: string | NetType, extension: TypeExtension): NetType {
    const type = typeof of === "string" ? this.get(of) : of;
    type.interfaces = [
      ...type.interfaces,
      ...(extension.interfaces ?? []).map((name) => name.toLowerCase()),
    ];
    if (extension.convert) {
      type.convert = extension.convert;
    }
    if (extension.enumerate) {
      type.enumerate = extension.enumerate as (value: Value) => readonly Value[];
    }
    addProperties(type.properties, extension.properties);
    addProperties(type.staticProperties, extension.staticProperties);
    addMethods(type.methods, extension.methods);
    addMethods(type.staticMethods, extension.staticMethods);
    for (const [signature, code] of Object.entries(extension.constructors ?? {})) {
      type.constructors.push(overload(signature, code));
    }
    for (const name of extension.unsupported ?? []) {
      type.unsupported.add(name.toLowerCase());
    }
    return type;
  }
}

function addProperties(
  into: Map<string, Property>,
  properties: TypeDefinition["properties"] = {},
): void {
  for (const [name, code] of Object.entries(properties)) {
    const [get, set] = (typeof code === "function" ? [code] : code) as [
      Property["get"],
      Property["set"]?,
    ];
    into.set(name.toLowerCase(), set ? { name, get, set } : { name, get });
  }
}

function addMethods(into: Map<string, Overload[]>, methods: TypeDefinition["methods"] = {}): void {
  for (const [signature, code] of Object.entries(methods)) {
    const method = overload(signature, code);
    into.set(method.name.toLowerCase(), [...(into.get(method.name.toLowerCase()) ?? []), method]);
  }
}

function overload(signature: string, code: Code): Overload {
  const [, name = "", list = ""] = /^(\w*)\((.*)\)$/.exec(signature) ?? [];
  const parameters = list === "" ? [] : list.split(/,\s*/);
  const rest = parameters.at(-1)?.startsWith("params ") ?? false;
  return {
    name,
    parameters: parameters.map((parameter) => parameter.replace(/^params /, "")),
    rest,
    call: (self, args) => (code as (self: Value, ...args: Value[]) => Result)(self, ...args),
  };
}

/** The types of the language itself; those of files, processes and so on add themselves. */
export const types = new Types();

const object = types.define({ name: "System.Object", aliases: ["object"] });
types.define({
  name: "System.Array",
  aliases: ["array"],
  interfaces: [
    "System.Collections.IEnumerable",
    "System.Collections.IList",
    "System.Collections.ICollection",
  ],
});
types.define({ name: "System.ValueType" });
types.define({ name: "System.Enum", base: "System.ValueType" });
export const objectArray = types.array(object);

const number = (name: string, ...aliases: string[]) =>
  types.define({ name, aliases, base: "System.ValueType", isValueType: true });

export const int = number("System.Int32", "int");
export const long = number("System.Int64", "long");
export const double = number("System.Double", "double");
export const single = number("System.Single", "float", "single");
export const decimal = number("System.Decimal", "decimal");
export const byte = number("System.Byte", "byte");
export const sbyte = number("System.SByte", "sbyte");
export const int16 = number("System.Int16", "int16", "short");
export const uint16 = number("System.UInt16", "uint16", "ushort");
export const uint32 = number("System.UInt32", "uint32", "uint");
export const uint64 = number("System.UInt64", "uint64", "ulong");
export const bool = types.define({ name: "System.Boolean", aliases: ["bool"], isValueType: true });
export const char = types.define({ name: "System.Char", aliases: ["char"], isValueType: true });
export const string = types.define({
  name: "System.String",
  aliases: ["string"],
  interfaces: ["System.Collections.IEnumerable", "System.IComparable"],
});
export const hashtable = types.define({
  name: "System.Collections.Hashtable",
  aliases: ["hashtable"],
  interfaces: [
    "System.Collections.IDictionary",
    "System.Collections.IEnumerable",
    "System.Collections.ICollection",
  ],
});
export const orderedDictionary = types.define({
  name: "System.Collections.Specialized.OrderedDictionary",
  aliases: ["ordered"],
  interfaces: [
    "System.Collections.IDictionary",
    "System.Collections.IEnumerable",
    "System.Collections.ICollection",
  ],
});
export const customObject = types.define({
  name: "System.Management.Automation.PSCustomObject",
});
export const psObject = types.define({
  name: "System.Management.Automation.PSObject",
  aliases: ["psobject", "pscustomobject"],
});
export const scriptBlock = types.define({
  name: "System.Management.Automation.ScriptBlock",
  aliases: ["scriptblock"],
});
export const errorRecord = types.define({ name: "System.Management.Automation.ErrorRecord" });
export const switchParameter = types.define({
  name: "System.Management.Automation.SwitchParameter",
  aliases: ["switch"],
  isValueType: true,
});

export const actionPreference = types.define({
  name: "System.Management.Automation.ActionPreference",
  enumeration: { SilentlyContinue: 0, Stop: 1, Continue: 2, Inquire: 3, Ignore: 4 },
});

/** What `[ref]` hands over. */
export interface Reference {
  get(): Value;
  set(value: Value): void;
}
export const reference = types.define({
  name: "System.Management.Automation.PSReference",
  aliases: ["ref"],
  properties: {
    Value: [
      ({ state }: NetObject<Reference>) => state.get(),
      ({ state }: NetObject<Reference>, value: Value) => {
        state.set(value);
      },
    ],
  },
});

export function typeOf(value: Exclude<Value, null>): NetType {
  if (typeof value === "object") {
    return value.type;
  }
  return { string, number: int, bigint: long, boolean: bool }[
    typeof value as "string" | "number" | "bigint" | "boolean"
  ];
}

export function array(items: Value[], type: NetType = objectArray): PsArray {
  return new PsArray(type, items);
}

export function bytes(buffer: Uint8Array): PsArray {
  return array(
    Array.from(buffer, (each) => new Num(byte, each)),
    types.array(byte),
  );
}

export function toDouble(value: number): Num {
  return new Num(double, value);
}

export function toChar(text: string): Char {
  return new Char(char, text.charCodeAt(0));
}

/** An error of PowerShell's own. */
export function runtimeError(id: string, message: string, type = "RuntimeException"): Raised {
  return raised(`System.Management.Automation.${type}`, message, { id });
}

/** An error of .NET, to be thrown by members and cmdlets. `type` is a full name. */
export function raised(
  type: string | NetType,
  message: string,
  options: {
    readonly hresult?: number;
    readonly inner?: NetException;
    readonly id?: string;
    readonly record?: ErrorRecord;
    readonly details?: ReadonlyMap<string, Value>;
  } = {},
): Raised {
  const exceptionType = typeof type === "string" ? types.get(type) : type;
  return new Raised(
    new NetException(
      exceptionType,
      message,
      options.inner ?? null,
      options.hresult,
      options.details,
    ),
    options.record,
    options.id,
  );
}

export type { Instance };
