/** The .NET types that scripts can name, and the way their members are declared. */
import {
  Char,
  EnumValue,
  NetException,
  NetObject,
  NetType,
  Num,
  PsArray,
  Raised,
  Unsupported,
  type Overload,
  type Property,
  type Result,
  type Value,
} from "./values.ts";

/** Implements a member. Static members and constructors get the arguments; all others get the object first. */
type Code = (...args: never[]) => Result | void | Promise<void>;

interface TypeDefinition {
  /** Full name, e.g. `System.IO.FileInfo`. */
  readonly name: string;
  /** Other names, e.g. `int`. */
  readonly aliases?: readonly string[];
  /** Full name. Default: System.Object. */
  readonly base?: string;
  readonly interfaces?: readonly string[];
  readonly enumeration?: Readonly<Record<string, number>>;
  readonly isValueType?: boolean;
  readonly compare?: (left: never, right: never) => number;
  readonly subtract?: (left: never, right: never) => Value;
  readonly enumerate?: (value: never) => readonly Value[];
  readonly bag?: (value: never) => readonly Value[];
  readonly truth?: (value: never) => boolean;
  readonly changes?: (value: never) => number;
  /** By .NET name: a getter, or a getter and a setter. */
  readonly properties?: Readonly<Record<string, Code | readonly [Code, Code]>>;
  /** By signature: `Substring(int, int)`. A parameter that can be null has a `?`. */
  readonly methods?: Readonly<Record<string, Code>>;
  readonly staticProperties?: Readonly<Record<string, Code | readonly [Code, Code]>>;
  readonly staticMethods?: Readonly<Record<string, Code>>;
  /** By parameters: `(string)`, `(string, int)`. */
  readonly constructors?: Readonly<Record<string, Code>>;
}

type TypeExtension = Omit<
  TypeDefinition,
  "name" | "aliases" | "base" | "enumeration" | "isValueType"
>;

/** Array types by element type. */
const arrays = new Map<NetType, NetType>();

/** A set of types by name. It extends its parent, e.g. with the types of a machine. */
export class Types {
  readonly #byName = new Map<string, NetType>();

  constructor(readonly parent?: Types) {}

  /** Finds a type by any of its names. A trailing `[]` means an array. */
  find(name: string): NetType | undefined {
    if (name.endsWith("[]")) {
      const element = this.find(name.slice(0, -2));
      return element && this.array(element);
    }
    const key = name.toLowerCase();
    return this.#byName.get(key) ?? this.parent?.find(name);
  }

  get(name: string): NetType {
    const type = this.find(name);
    if (!type) throw new Error(`no type ${name} is defined`);
    return type;
  }

  array(element: NetType): NetType {
    const list = this.get("System.Array");
    const type = arrays.get(element) ?? new NetType(`${element.name}[]`, list, element);
    arrays.set(element, type);
    return type;
  }

  all(): NetType[] {
    return [...(this.parent?.all() ?? []), ...new Set(this.#byName.values())];
  }

  define(definition: TypeDefinition): NetType {
    const { name, aliases = [], enumeration, isValueType = enumeration !== undefined } = definition;
    const base = definition.base ?? (enumeration ? "System.Enum" : "System.Object");
    const type = new NetType(name, name === "System.Object" ? undefined : this.get(base));
    type.isValueType = isValueType;
    if (enumeration) {
      type.enumeration = new Map(
        Object.entries(enumeration).map(([each, number]) => [
          each.toLowerCase(),
          new EnumValue(type, each, number),
        ]),
      );
    }
    const names = [name, name.replace(/^System\./, ""), ...aliases];
    names.forEach((each) => this.#byName.set(each.toLowerCase(), type));
    return this.extend(type, definition);
  }

  extend(of: string | NetType, extension: TypeExtension): NetType {
    const type = typeof of === "string" ? this.get(of) : of;
    const { interfaces = [], compare, subtract, enumerate, constructors = {} } = extension;
    type.changes = (extension.changes as NetType["changes"]) ?? type.changes;
    type.interfaces = [...type.interfaces, ...interfaces.map((name) => name.toLowerCase())];
    type.compare = (compare as NetType["compare"]) ?? type.compare;
    type.subtract = (subtract as NetType["subtract"]) ?? type.subtract;
    type.enumerate = (enumerate as NetType["enumerate"]) ?? type.enumerate;
    type.bag = (extension.bag as NetType["bag"]) ?? type.bag;
    type.truth = (extension.truth as NetType["truth"]) ?? type.truth;
    addProperties(type.properties, extension.properties);
    addProperties(type.staticProperties, extension.staticProperties);
    addMethods(type.methods, extension.methods);
    addMethods(type.staticMethods, extension.staticMethods, withoutSelf);
    for (const [signature, code] of Object.entries(constructors)) {
      type.constructors.push(overload(signature, withoutSelf(code)));
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

function withoutSelf(code: Code): Code {
  return (_self: never, ...args: never[]) => code(...args);
}

function addMethods(
  into: Map<string, Overload[]>,
  methods: TypeDefinition["methods"] = {},
  adapted = (code: Code): Code => code,
): void {
  for (const [signature, code] of Object.entries(methods)) {
    const method = overload(signature, adapted(code));
    into.set(method.name.toLowerCase(), [...(into.get(method.name.toLowerCase()) ?? []), method]);
  }
}

function overload(signature: string, code: Code): Overload {
  const [, name = "", list = ""] = /^(\w*)\((.*)\)$/.exec(signature) ?? [];
  const parameters = list === "" ? [] : list.split(/,\s*/);
  return {
    name,
    parameters: parameters.map((each) => each.replace("?", "")),
    nullable: parameters.map((each) => each.endsWith("?")),
    call: (self, args) => (code as (self: Value, ...args: Value[]) => Result)(self, ...args),
  };
}

/** The types of the language. Modules that model other types define them here when imported. */
export const types = new Types();

const define = (name: string, more: Omit<TypeDefinition, "name"> = {}) =>
  types.define({ name: `System.${name}`, ...more });

export const object = define("Object");
define("Array");
define("ValueType");
define("Enum", { base: "System.ValueType" });
export const objectArray = types.array(object);

const number = (name: string, ...aliases: string[]) =>
  define(name, { aliases, base: "System.ValueType", isValueType: true });
export const int = number("Int32", "int");
export const long = number("Int64", "long");
export const double = number("Double");
/** What [Math] makes of whole numbers; nothing is calculated with it. */
export const decimal = number("Decimal");
export const byte = number("Byte");
export const uint32 = number("UInt32");
export const uint64 = number("UInt64");

export const bool = define("Boolean", { aliases: ["bool"], isValueType: true });
export const char = define("Char", { isValueType: true });
export const string = define("String");
define("Collections.IDictionary");
const dictionary = { interfaces: ["System.Collections.IDictionary"] };
export const hashtable = define("Collections.Hashtable", { aliases: ["hashtable"], ...dictionary });
export const orderedDictionary = define("Collections.Specialized.OrderedDictionary", {
  ...dictionary,
});

const automation = (name: string, more?: Omit<TypeDefinition, "name">) =>
  define(`Management.Automation.${name}`, more);
/** `$PSBoundParameters`. */
export const boundParameters = automation("PSBoundParametersDictionary", dictionary);
export const customObject = automation("PSCustomObject");
export const psObject = automation("PSObject", { aliases: ["psobject", "pscustomobject"] });
export const scriptBlock = automation("ScriptBlock", { aliases: ["scriptblock"] });
export const errorRecord = automation("ErrorRecord");
export const switchParameter = automation("SwitchParameter", {
  aliases: ["switch"],
  isValueType: true,
});
export const actionPreference = automation("ActionPreference", {
  enumeration: { SilentlyContinue: 0, Stop: 1, Continue: 2, Inquire: 3, Ignore: 4 },
});

const nullStringType = automation("Language.NullString", {
  aliases: ["NullString"],
  staticProperties: { Value: () => nullString },
});
export const nullString = new NetObject(nullStringType, null);

/** The variable behind a `[ref]`. */
export interface Reference {
  get(): Value;
  set(value: Value): void;
}
export const reference = automation("PSReference", {
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
  if (typeof value === "object") return value.type;
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
  // It is equal to nothing and yet true, and has no order.
  if (Number.isNaN(value)) throw new Unsupported("the number NaN");
  return new Num(double, value);
}

export function toChar(text: string): Char {
  return new Char(char, text.charCodeAt(0));
}

export function runtimeError(
  id: string,
  message: string,
  type = "RuntimeException",
  inner?: NetException | null,
): Raised {
  return raised(`System.Management.Automation.${type}`, message, { id, inner });
}

/** A .NET error for members and cmdlets to throw. `type` is a full name. */
export function raised(
  type: string | NetType,
  message: string,
  options: {
    readonly hresult?: number;
    readonly inner?: NetException | null | undefined;
    readonly id?: string;
  } = {},
): Raised {
  const { inner = null, hresult, id } = options;
  const exceptionType = typeof type === "string" ? types.get(type) : type;
  const exception = new NetException(exceptionType, message, inner, hresult);
  return new Raised(exception, { id });
}
