/** Converts values between types, as casts, parameters and operators do. */
import * as is from "./types.ts";
import { raised, typeOf } from "./types.ts";
import {
  Char,
  CustomObject,
  EnumValue,
  ErrorRecord,
  Hashtable,
  isNull,
  NetException,
  NetObject,
  NetType,
  nothing,
  Num,
  PsArray,
  Raised,
  ScriptBlock,
  Switch,
  Unsupported,
  unknownWords,
  type Instance,
  type Value,
} from "./values.ts";

/** A text or a list with more elements is refused. */
export const most = 2 ** 20;

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
    // An object in 5.1, and of a class in 7.
    if (value.type !== is.customObject) throw new Unsupported(`[${value.type.name}] in a text`);
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
    const { type, words: message } = value instanceof ErrorRecord ? value.exception : value;
    // 5.1 shows something else instead, 7 nothing.
    if (message === "") throw new Unsupported("an error without a message in a text");
    if (value instanceof ErrorRecord) return message;
    if (value.inner || value.wasThrown) {
      throw new Unsupported("an exception that was thrown, or has an inner one, in a text");
    }
    return `${type.name}: ${message}`;
  }
  if (value instanceof NetType || value instanceof ScriptBlock) {
    throw new Unsupported(`[${value.type.name}] in a text`);
  }
  const forms = value.type.overloads("tostring");
  const text = forms.find((each) => each.parameters.length === 0)?.call(value, []);
  return typeof text === "string" ? text : value.type.name;
}

/** Text of an element of a list: a list in it shows only its type, a custom object nothing. */
export function nestedText(value: Value): string {
  if (value instanceof CustomObject) return "";
  if (value instanceof NetObject && enumerated(value)) {
    throw new Unsupported(`[${value.type.name}] in a list's text`);
  }
  return value instanceof PsArray ? value.type.name : toText(value);
}

/** .NET Framework writes a double with 15 significant digits, and no sign before 0. */
function doubleText(value: number): string {
  const size = Math.abs(value);
  const isPlain = Object.is(value, 0) || (size >= 1e-4 && size < 1e15);
  if (!isPlain || Number(value.toPrecision(15)) !== value) {
    throw new Unsupported(`the number ${Object.is(value, -0) ? "-0" : String(value)} in a text`);
  }
  return String(value);
}

/** The elements that loops and pipelines unroll. Undefined if the value is not a collection. */
export function enumerated(value: Value): readonly Value[] | undefined {
  if (value instanceof PsArray) return value.items;
  return value !== null && typeof value === "object" ? value.type.enumerate?.(value) : undefined;
}

/** The elements that a loop or a pipeline goes through. A table must not change meanwhile, as in .NET. */
export function* eachOf(
  value: Value,
  error = "InvalidOperation",
  items = toItems(value),
): Generator<Value> {
  const changes = value instanceof NetObject ? value.type.changes : undefined;
  const before = changes?.(value);
  for (const item of [...items]) {
    yield item;
    if (changes && changes(value) !== before) {
      const message = "Collection was modified; enumeration operation may not execute.";
      const id = error === "InvalidOperation" ? undefined : "BadEnumeration";
      throw raised(`System.${error}Exception`, message, { id });
    }
  }
}

/** A value as a list. `nothing` is an empty list; null is a list of one. */
export function toItems(value: Value): readonly Value[] {
  return value === nothing ? [] : (enumerated(value) ?? [value]);
}

/** The same, for what does not depend on their order. */
export function inAnyOrder(value: Value): readonly Value[] {
  return (value instanceof NetObject ? value.type.bag?.(value) : undefined) ?? toItems(value);
}

/** A command's outputs as one value: `nothing`, the only output, or an array. */
export function fromItems(items: Value[]): Value {
  return items.length === 0 ? nothing : items.length === 1 ? (items[0] as Value) : is.array(items);
}

export function toBool(value: Value): boolean {
  if (typeof value === "string" || value instanceof Switch) {
    return typeof value === "string" ? value !== "" : value.isPresent;
  }
  if (value instanceof PsArray) {
    const { items } = value;
    const [first = null] = items;
    return items.length > 1 || (first instanceof PsArray ? first.items.length > 0 : toBool(first));
  }
  if (value instanceof NetObject && value.type.truth) return value.type.truth(value);
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
  if (isNull(value) || typeof value === "boolean") return value === true ? 1 : 0;
  if (typeof value === "string") return numberInText(value);
  if (typeof value !== "object") return value;
  if (value instanceof Num) return value.value;
  if (value instanceof Char) return value.code;
  return value instanceof EnumValue ? value.number : undefined;
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
  // The usual case, without arithmetic on bigints. It also makes 0 of -0.
  if (type === is.int && typeof value === "number" && (value | 0) === value) return value | 0;
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

/** Parses a number as [int]"0x1F" does: commas between digits count for nothing. Undefined if the text is no number. */
function numberInText(text: string): number | bigint | undefined {
  const literal = numberLiteral(text);
  if (literal !== undefined) return literal instanceof Num ? literal.value : literal;
  const trimmed = text.trim();
  const hasCommas = /^[+-]?\d[\d,]*(\.\d*)?(e[+-]?\d+)?$/i.test(trimmed);
  return hasCommas ? numberInText(trimmed.replaceAll(",", "")) : undefined;
}

const decimal = "[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[+-]?\\d+)?";
const plainLiteral = new RegExp(`^(?:${decimal}|0x[\\da-f]{1,7}|)$`, "i");
/** With a sign before hexadecimal digits, a suffix for the type, or a unit; or hexadecimal as .NET's converters know it. */
const anyLiteral = new RegExp(
  `^(?:(?:${decimal}|[+-]?0[xb][\\da-f]*)(?:u?[lsy]|[udn])?(?:[kmgtp]b)?|(?:#|&h)[\\da-f]+)$`,
  "i",
);

/** Parses a number as 1 + "2" does: as it would stand in a script. Undefined if the text is no number. */
export function numberLiteral(text: string): number | bigint | Num | undefined {
  const trimmed = text.trim();
  if (!plainLiteral.test(trimmed)) {
    if (anyLiteral.test(trimmed)) throw new Unsupported(`the number ${trimmed} in a text`);
    return undefined;
  }
  if (!/^[+-]?\d+$/.test(trimmed) && Number.isFinite(Number(trimmed))) {
    return /^(0x.*|)$/i.test(trimmed) ? Number(trimmed) : is.toDouble(Number(trimmed));
  }
  const whole = /^[+-]?\d+$/.test(trimmed) ? BigInt(trimmed) : undefined;
  if (whole === undefined || BigInt.asIntN(64, whole) !== whole) {
    throw new Unsupported(`the number ${trimmed} in a text`);
  }
  return BigInt.asIntN(32, whole) === whole ? Number(whole) : whole;
}

/** Converts a value to a type. Throws the error of a failed cast. */
export function convert(value: Value, type: NetType): Value {
  const converted = conversion(value, type);
  if (converted === undefined) throw cannotConvert(value, type);
  return converted;
}

/** Converts a value to a type. Undefined if that is impossible. */
export function tryConvert(value: Value, type: NetType): Value | undefined {
  try {
    return conversion(value, type);
  } catch (error) {
    if (error instanceof Raised) return undefined;
    throw error;
  }
}

function invalidCast(id: string, message: string, inner?: NetException): Raised {
  return raised("System.Management.Automation.PSInvalidCastException", message, { id, inner });
}

/** What .NET calls a number in "too large or too small for ...". */
function numberName(type: NetType): string {
  if (type === is.byte) return "an unsigned byte";
  return type === is.uint32 || type === is.uint64 ? `a ${type.shortName}` : `an ${type.shortName}`;
}

/** A value as messages show it: of a list only the type. */
export function shownText(value: Value): string {
  if (value instanceof NetObject && enumerated(value)) {
    throw new Unsupported(`[${value.type.name}] in a message`);
  }
  return value instanceof PsArray ? value.type.name : toText(value);
}

export function cannotConvert(value: Value, type: NetType): Raised {
  const isNumberAsChar = type === is.char && isNumeric(value);
  // .NET converts some values of its own by another way, and says so.
  const isNoError = type.is(is.types.get("System.Exception")) && !(value instanceof NetException);
  const isDate = !isNull(value) && typeOf(value).name === "System.DateTime";
  const isOther = isNumberAsChar || isNoError || isDate || typeof value === "boolean";
  if ((type.element ?? type).enumeration !== undefined || isOther) {
    return invalidCast(
      unknownWords,
      `Cannot convert a value to type "${type.name}".${unknownWords}`,
    );
  }
  if (isNull(value)) {
    return invalidCast("nullToObjectInvalidCast", `Cannot convert null to type "${type.name}".`);
  }
  const shown = `"${shownText(value)}"`;
  const isNumber = type === is.double || limits.has(type);
  if (isNumber && (typeof value === "string" || isNumeric(value))) {
    const isParsed = numberIn(value) !== undefined;
    const why = !isParsed
      ? "Input string was not in a correct format."
      : `Value was either too large or too small for ${numberName(type)}.`;
    const { exception } = raised(`System.${isParsed ? "Overflow" : "Format"}Exception`, why);
    const message = `Cannot convert value ${shown} to type "${type.name}". Error: "${why}"`;
    const kind = type === is.double ? "DoubleOrSingle" : "Integer";
    const isText = typeof value === "string";
    const id = isText ? `InvalidCastFromStringTo${kind}` : "InvalidCastIConvertible";
    return invalidCast(id, message, exception);
  }
  const from = typeOf(value).name;
  if (type === is.char && typeof value === "string") {
    const why = "String must be exactly one character long.";
    const message = `Cannot convert value ${shown} to type "${type.name}". Error: "${why}"`;
    const { exception } = raised("System.FormatException", why);
    return invalidCast("InvalidCastParseTargetInvocation", message, exception);
  }
  return invalidCast(
    "ConvertToFinalInvalidCastException",
    `Cannot convert the ${shown} value of type "${from}" to type "${type.name}".`,
  );
}

/** Conversions to the language's own types. They also take null. */
const conversions = new Map<NetType, (value: Value, type: NetType) => Value | undefined>([
  [is.string, (value) => (value === nothing ? null : toText(value))],
  [is.bool, toBool],
  [is.switchParameter, convertSwitch],
  [is.char, convertChar],
  ...[...limits.keys(), is.double].map((type) => [type, convertNumber] as const),
]);

/** Undefined, or an error that says why, if the value cannot be converted. */
function conversion(value: Value, type: NetType): Value | undefined {
  if (type === is.psObject && value instanceof Hashtable) {
    value.refuseOrder();
    return toCustomObject(value);
  }
  if (!isNull(value) && (type === is.psObject || typeOf(value).is(type))) return value;
  if (type === is.decimal) throw new Unsupported("a conversion to [decimal]");
  const own = conversions.get(type);
  if (own) return own(value, type);
  // What is nothing at all stays so.
  const isAny = type === is.psObject || type === is.object;
  if (value === nothing && type.isValueType) {
    throw new Unsupported(`a conversion of nothing at all to [${type.name}]`);
  }
  if (isNull(value)) return type.isValueType ? undefined : isAny ? value : null;
  if (type.element === is.char && typeof value === "string") {
    return is.array(value.split("").map(is.toChar), type);
  }
  if (type.element) return convertToArray(value, type, type.element);
  if (type.name === "System.Array") return is.array([...toItems(value)]);
  if (type.enumeration) return convertEnumeration(value, type, type.enumeration);
  return convertByMember(value, type);
}

function convertToArray(value: Value, type: NetType, element: NetType): Value {
  if (value instanceof PsArray && isSameInMemory(value.type, type)) {
    throw new Unsupported(`[${value.type.name}] as [${type.name}]`);
  }
  const items = toItems(value).map((item) => {
    // Only a single table becomes an object.
    if (element === is.psObject && item instanceof Hashtable) return item;
    if (item === nothing && element === is.string) return "";
    if (enumerated(value)) return convert(item, element);
    return convertToOne(item, type, element);
  });
  return new PsArray(type, items);
}

/** Converts a single value to the element of a list. */
function convertToOne(value: Value, type: NetType, element: NetType): Value {
  try {
    return convert(value, element);
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    if (error.id === "ConvertToFinalInvalidCastException") throw cannotConvert(value, type);
    const message = `Cannot convert value "${toText(value)}" to type "${type.name}". Error: "${error.message}"`;
    throw invalidCast("InvalidCastExceptionScalarToArray", message, error.exception);
  }
}

/** Whether .NET takes a list for one of the other type: both have integers of the same size. */
export function isSameInMemory(one: NetType, other: NetType): boolean {
  const pairs = [
    [is.int, is.uint32],
    [is.long, is.uint64],
  ];
  return pairs.some(
    (pair) =>
      one !== other && [one, other].every(({ element }) => element && pair.includes(element)),
  );
}

function convertNumber(value: Value, type: NetType): Value | undefined {
  if (type === is.double && typeof value === "string" && /^\s*[-+]?(nan|inf|∞)/i.test(value)) {
    throw new Unsupported(`the number ${value} in a text`);
  }
  const number = numberIn(value);
  return number === undefined ? undefined : toNumber(number, type);
}

function convertSwitch(value: Value, type: NetType): Value | undefined {
  if (value instanceof Hashtable || value instanceof Char) {
    throw new Unsupported(`[${value.type.name}] as a switch`);
  }
  return isNull(value) || typeof value === "boolean" ? new Switch(type, value === true) : undefined;
}

function convertChar(value: Value, type: NetType): Value | undefined {
  if (typeof value === "string") return value.length === 1 ? is.toChar(value) : undefined;
  const isWhole = isNumeric(value) && !(value instanceof Num && value.type === is.double);
  const code = isNull(value) || isWhole || value instanceof EnumValue ? numberIn(value) : undefined;
  return code !== undefined && code >= 0 && code <= 0xffff
    ? new Char(type, Number(code))
    : undefined;
}

function convertEnumeration(
  value: Value,
  type: NetType,
  names: ReadonlyMap<string, EnumValue>,
): Value | undefined {
  if (value instanceof PsArray) {
    return convertEnumeration(value.items.map(toText).join(","), type, names);
  }
  if (value instanceof Hashtable) throw new Unsupported(`a table as [${type.name}]`);
  if (typeof value !== "string") {
    if (value instanceof Num && value.type === is.double) return undefined;
    const number = isNumeric(value) ? plainNumber(value) : undefined;
    return [...names.values()].find((each) => each.number === number);
  }
  // A number, and the beginning of a name, can stand for the name too.
  if (/^\s*[+-]?\d/.test(value)) throw new Unsupported(`[${type.name}] from "${value}"`);
  const parts = value.split(",").map((name) => names.get(name.trim().toLowerCase()));
  const known = parts.filter((part) => part !== undefined).sort((a, b) => a.number - b.number);
  const number = known.reduce((sum, part) => sum | part.number, 0);
  const name = known.map((part) => part.name).join(", ");
  return known.length < parts.length ? undefined : new EnumValue(type, name, number);
}

/**
 * Converts by the type's Parse (for text), or else by a constructor that takes the value. A number that no constructor
 * takes is converted as a text. What the type may have in .NET and not here is unsupported.
 */
function convertByMember(value: Exclude<Value, null>, type: NetType): Value | undefined {
  // It is a number for constructors.
  if (value instanceof Char || value instanceof EnumValue) {
    throw new Unsupported(`[${value.type.name}] as [${type.name}]`);
  }
  const table = is.types.get("System.Collections.IDictionary");
  if ([is.hashtable, is.scriptBlock, is.customObject, table].includes(type)) {
    if (type === is.hashtable && typeOf(value).is(table)) {
      throw new Unsupported(`a conversion to [${type.name}]`);
    }
    return undefined;
  }
  const parse = typeof value === "string" ? type.staticMethods.get("parse") : undefined;
  const member = [...(parse ?? []), ...type.constructors].find(
    ({ parameters: [first, ...further] }) =>
      first !== undefined && further.length === 0 && typeOf(value).isNamed(first),
  );
  if (!member && isNumeric(value)) return convertByMember(toText(value), type);
  if (!member && typeof value === "object" && (value as Value) !== nothing) {
    const hasProperties = value instanceof CustomObject || value instanceof Hashtable;
    const isTyped = value instanceof PsArray && value.type !== is.objectArray;
    if (hasProperties || isTyped) {
      throw new Unsupported(`a conversion of [${value.type.name}] to [${type.name}]`);
    }
    return undefined;
  }
  if (!member && typeof value === "string") {
    throw new Unsupported(`a conversion of a text to [${type.name}]`);
  }
  try {
    const made = member?.call(null, [value]);
    if (made instanceof Promise) throw new Unsupported(`a conversion to [${type.name}]`);
    return made as Value | undefined;
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    const inner = error.exception;
    const message = `Cannot convert value "${toText(value)}" to type "${type.name}". Error: "${inner.message}"`;
    // .NET Framework's Parse of these takes a format provider.
    const more = /\.(DateTime|TimeSpan)$/.test(type.name) ? "WithFormatProvider" : "";
    throw invalidCast(`InvalidCastParseTargetInvocation${more}`, message, inner);
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
