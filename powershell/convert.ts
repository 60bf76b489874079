/** Converts values between types, as casts, parameters and operators do. */
import * as is from "./types.ts";
import { raised, runtimeError, typeOf } from "./types.ts";
import {
  Char,
  CustomObject,
  EnumValue,
  ErrorRecord,
  Hashtable,
  isNull,
  NetException,
  NetType,
  nothing,
  Num,
  PsArray,
  Raised,
  ScriptBlock,
  Switch,
  Unsupported,
  type Instance,
  type Value,
} from "./values.ts";

export function toText(value: Value): string {
  if (isNull(value)) return "";
  if (typeof value === "boolean" || value instanceof Switch) {
    return toBool(value) ? "True" : "False";
  }
  if (typeof value !== "object") return String(value);
  const items = enumerated(value);
  return items ? items.map(nestedText).join(" ") : objectText(value);
}

function objectText(value: Instance): string {
  if (value instanceof CustomObject) {
    const properties = [...value.properties.values()].map(
      (each) => `${each.name}=${nestedText(each.value)}`,
    );
    return properties.length === 0 ? "" : `@{${properties.join("; ")}}`;
  }
  if (value instanceof Num) return doubleText(value.value);
  if (value instanceof Char || value instanceof EnumValue) {
    return value instanceof Char ? value.text : value.name;
  }
  if (value instanceof ErrorRecord || value instanceof NetException) {
    const { type, message } = value instanceof ErrorRecord ? value.exception : value;
    return value instanceof ErrorRecord ? message : `${type.name}: ${message}`;
  }
  if (value instanceof NetType || value instanceof ScriptBlock) {
    throw new Unsupported(`[${value.type.name}] in a text`);
  }
  const forms = value.type.overloads("tostring");
  const text = forms.find((each) => each.parameters.length === 0)?.call(value, []);
  return typeof text === "string" ? text : value.type.name;
}

/** Text of an element of a list: nested arrays show only their type. */
export function nestedText(value: Value): string {
  return value instanceof PsArray ? value.type.name : toText(value);
}

/** .NET Framework writes a double with 15 significant digits. */
function doubleText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && !(size >= 1e-4 && size < 1e15)) {
    throw new Unsupported(`the number ${String(value)} in a text`);
  }
  return String(Number(value.toPrecision(15)));
}

/** The elements that loops and pipelines unroll. Undefined if the value is not a collection. */
export function enumerated(value: Value): readonly Value[] | undefined {
  if (value instanceof PsArray) return value.items;
  return value !== null && typeof value === "object" ? value.type.enumerate?.(value) : undefined;
}

/** A value as a list. `nothing` is an empty list; null is a list of one. */
export function toItems(value: Value): readonly Value[] {
  return value === nothing ? [] : (enumerated(value) ?? [value]);
}

/** A command's outputs as one value: `nothing`, the only output, or an array. */
export function fromItems(items: Value[]): Value {
  return items.length === 0 ? nothing : items.length === 1 ? (items[0] as Value) : is.array(items);
}

export function toBool(value: Value): boolean {
  if (typeof value === "string" || value instanceof Switch) {
    return typeof value === "string" ? value !== "" : value.isPresent;
  }
  const items = enumerated(value);
  if (items) {
    const [first = null] = items;
    return items.length > 1 || (enumerated(first)?.length ?? Number(toBool(first))) > 0;
  }
  return value instanceof EnumValue || Boolean(numberIn(value) ?? true);
}

export function isNumeric(value: Value): value is number | bigint | Num {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Num;
}

export function plainNumber(value: number | bigint | Num): number {
  return value instanceof Num ? value.value : Number(value);
}

/** A value converted to a number. Undefined if that is impossible. */
export function numberIn(value: Value): number | bigint | undefined {
  if (value instanceof PsArray && value.items.length === 1) {
    return numberIn(value.items[0] as Value);
  }
  if (value instanceof Num) return value.value;
  if (value instanceof Char || value instanceof EnumValue) {
    return value instanceof Char ? value.code : value.number;
  }
  if (isNull(value) || typeof value === "boolean") return value === true ? 1 : 0;
  return typeof value === "string"
    ? parseNumber(value)
    : typeof value === "object"
      ? undefined
      : value;
}

const limits = new Map<NetType, readonly [bigint, bigint]>([
  [is.int, [-(2n ** 31n), 2n ** 31n - 1n]],
  [is.long, [-(2n ** 63n), 2n ** 63n - 1n]],
  [is.byte, [0n, 255n]],
  [is.uint32, [0n, 2n ** 32n - 1n]],
  [is.uint64, [0n, 2n ** 64n - 1n]],
]);

/** Converts a number to a numeric type, rounding halves to even. Undefined if it is out of range. */
export function toNumber(value: number | bigint, type: NetType): Value | undefined {
  if (type === is.double) return is.toDouble(Number(value));
  const [low, high] = limits.get(type) ?? [0n, 0n];
  const rounded = typeof value === "bigint" ? value : roundHalfEven(value);
  if (!(rounded >= low && rounded <= high)) return undefined;
  const whole = BigInt(rounded);
  return type === is.int ? Number(whole) : type === is.long ? whole : new Num(type, Number(whole));
}

export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest < 0.5 || (rest === 0.5 && floor % 2 === 0) ? floor : floor + 1;
}

/** Parses a number as [int]"0x1F" and 1 + "2" do. Undefined if the text is not a number. */
function parseNumber(text: string): number | bigint | undefined {
  const trimmed = text.trim();
  if (/^([+-]0x[\da-f]+|0x[\da-f]{8,}|[+-]?[\d.]+[kmgtp]b)$/i.test(trimmed)) {
    throw new Unsupported(`the number ${trimmed} in a text`);
  }
  if (/^[+-]?\d+$/.test(trimmed)) {
    const whole = BigInt(trimmed);
    return BigInt.asIntN(32, whole) === whole ? Number(whole) : whole;
  }
  const isNumber = /^(0x[\da-f]+|[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|)$/i.test(trimmed);
  return isNumber ? Number(trimmed) : undefined;
}

/** Converts a value to a type. Throws the error of a failed cast. */
export function convert(value: Value, type: NetType): Value {
  const converted = tryConvert(value, type);
  if (converted === undefined) throw cannotConvert(value, type);
  return converted;
}

function cannotConvert(value: Value, type: NetType): Raised {
  const shown = isNull(value) ? "null" : `"${toText(value)}"`;
  if (limits.has(type) && (typeof value === "string" || isNumeric(value))) {
    const why =
      numberIn(value) === undefined
        ? "Input string was not in a correct format."
        : `Value was either too large or too small for an ${type.shortName}.`;
    const message = `Cannot convert value ${shown} to type "${type.name}". Error: "${why}"`;
    return typeof value === "string"
      ? runtimeError("InvalidCastFromStringToInteger", message)
      : runtimeError("InvalidCastIConvertible", message, "PSInvalidCastException");
  }
  const from = isNull(value) ? "null" : typeOf(value).name;
  return runtimeError(
    "ConvertToFinalInvalidCastException",
    `Cannot convert the ${shown} value of type "${from}" to type "${type.name}".`,
    "PSInvalidCastException",
  );
}

/** Conversions to the language's own types. They also take null. */
const conversions = new Map<NetType, (value: Value, type: NetType) => Value | undefined>([
  [is.string, toText],
  [is.bool, toBool],
  [is.switchParameter, (value, type) => new Switch(type, toBool(value))],
  [is.char, convertChar],
  ...[...limits.keys(), is.double].map((type) => [type, convertNumber] as const),
]);

/** Converts a value to a type. Undefined if that is impossible. */
export function tryConvert(value: Value, type: NetType): Value | undefined {
  if (type === is.psObject && value instanceof Hashtable) return toCustomObject(value);
  if (!isNull(value) && (type === is.psObject || typeOf(value).is(type))) return value;
  const conversion = conversions.get(type);
  if (conversion) return conversion(value, type);
  if (isNull(value)) return type.isValueType ? undefined : null;
  if (type.element) {
    const { element } = type;
    const items = toItems(value).map((item) => tryConvert(item, element));
    return items.every((item) => item !== undefined) ? new PsArray(type, items) : undefined;
  }
  if (type.name === "System.Array") return is.array([value]);
  if (type.enumeration) return convertEnumeration(value, type, type.enumeration);
  return convertByMember(value, type);
}

function convertNumber(value: Value, type: NetType): Value | undefined {
  const number = numberIn(value);
  return number === undefined ? undefined : toNumber(number, type);
}

function convertChar(value: Value, type: NetType): Value | undefined {
  if (typeof value === "string") return value.length === 1 ? is.toChar(value) : undefined;
  const code = isNull(value) || isNumeric(value) ? convertNumber(value, is.int) : undefined;
  return typeof code === "number" && code >= 0 && code <= 0xffff ? new Char(type, code) : undefined;
}

function convertEnumeration(
  value: Value,
  type: NetType,
  names: ReadonlyMap<string, EnumValue>,
): Value | undefined {
  if (typeof value !== "string") {
    const number = isNumeric(value) ? plainNumber(value) : undefined;
    return [...names.values()].find((each) => each.number === number);
  }
  const parts = value.split(",").map((name) => names.get(name.trim().toLowerCase()));
  const known = parts.filter((part) => part !== undefined).sort((a, b) => a.number - b.number);
  const number = known.reduce((sum, part) => sum | part.number, 0);
  const name = known.map((part) => part.name).join(", ");
  return known.length < parts.length ? undefined : new EnumValue(type, name, number);
}

/** Converts by the type's Parse (for text), or else by a constructor that takes the value. */
function convertByMember(value: Exclude<Value, null>, type: NetType): Value | undefined {
  const parse = typeof value === "string" ? type.staticMethods.get("parse") : undefined;
  const member = [...(parse ?? []), ...type.constructors].find(
    ({ parameters: [first, ...further] }) =>
      first !== undefined && further.length === 0 && typeOf(value).isNamed(first),
  );
  try {
    const made = member?.call(null, [value]);
    if (made instanceof Promise) throw new Unsupported(`a conversion to [${type.name}]`);
    return made as Value | undefined;
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    const inner = error.exception;
    throw raised(
      "System.Management.Automation.PSInvalidCastException",
      `Cannot convert value "${toText(value)}" to type "${type.name}". Error: "${inner.message}"`,
      { id: "InvalidCastParseTargetInvocation", inner },
    );
  }
}

export function toCustomObject(table: Hashtable): CustomObject {
  const object = new CustomObject(is.customObject);
  for (const { key, value } of table.entries()) {
    const name = toText(key);
    if (name.toLowerCase() === "pstypename") {
      object.typeNames.push(toText(value));
    } else {
      object.set(name, value);
    }
  }
  return object;
}
