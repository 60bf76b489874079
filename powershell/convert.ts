/** Values turned into values of another type, as casts, parameters and operators do it. */
import * as is from "./types.ts";
import { raised, typeOf, types } from "./types.ts";
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
  type Value,
} from "./values.ts";

/** What a value is in a text in double quotes. */
export function toText(value: Value): string {
  if (isNull(value)) {
    return "";
  }
  if (typeof value === "boolean") {
    return value ? "True" : "False";
  }
  if (typeof value !== "object") {
    return String(value);
  }
  if (value instanceof Num) {
    return doubleText(value.value);
  }
  if (value instanceof Char) {
    return value.text;
  }
  if (value instanceof EnumValue) {
    return value.name;
  }
  if (value instanceof Switch) {
    return toText(value.isPresent);
  }
  if (value instanceof ErrorRecord) {
    return value.exception.message;
  }
  if (value instanceof NetException) {
    return `${value.type.name}: ${value.message}`;
  }
  if (value instanceof NetType) {
    return accelerators.get(value) ?? value.name;
  }
  if (value instanceof ScriptBlock) {
    const { file, start, end } = value.body.position;
    return file.text.slice(start + 1, end - 1);
  }
  const items = enumerated(value);
  if (items) {
    return items.map(nestedText).join(" ");
  }
  if (value instanceof CustomObject) {
    const properties = [...value.properties.values()].map(
      (each) => `${each.name}=${nestedText(each.value)}`,
    );
    return properties.length === 0 ? "" : `@{${properties.join("; ")}}`;
  }
  const method = value.type.overloads("tostring").find((each) => each.parameters.length === 0);
  const text = method?.call(value, []);
  return typeof text === "string" ? text : value.type.name;
}

/** Lists within lists show their type only. */
export function nestedText(value: Value): string {
  return value instanceof PsArray ? value.type.name : toText(value);
}

/** PowerShell's short names of types, which are what a type is in a text. */
const accelerators = new Map<NetType, string>(
  [
    "int",
    "long",
    "string",
    "bool",
    "char",
    "byte",
    "double",
    "decimal",
    "hashtable",
    "scriptblock",
  ].map((name) => [types.get(name), name]),
);

/** A double in 15 digits, as .NET Framework writes it. */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  }
  const [mantissa = "", exponent] = value.toPrecision(15).split("e");
  const short = Number(value.toPrecision(15));
  const power = Number(short.toExponential().split("e")[1]);
  if (exponent === undefined && power < 15 && power >= -4) {
    return mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  }
  const [digits = "", sign = "+", number = "0"] = short.toExponential().split(/e([+-])/);
  return `${digits}E${sign}${number.padStart(2, "0")}`;
}

/** What loops and pipelines take one by one; undefined: a single thing. */
export function enumerated(value: Value): readonly Value[] | undefined {
  if (value instanceof PsArray) {
    return value.items;
  }
  return value !== null && typeof value === "object" ? value.type.enumerate?.(value) : undefined;
}

/** A value as a list: nothing has no element, null one. */
export function toItems(value: Value): readonly Value[] {
  return value === nothing ? [] : (enumerated(value) ?? [value]);
}

/** What a command's outputs are as one value. */
export function fromItems(items: Value[]): Value {
  return items.length === 0 ? nothing : items.length === 1 ? (items[0] as Value) : is.array(items);
}

export function toBool(value: Value): boolean {
  if (isNull(value)) {
    return false;
  }
  if (typeof value !== "object") {
    return Boolean(value);
  }
  if (value instanceof Num) {
    return value.value !== 0;
  }
  if (value instanceof Char) {
    return value.code !== 0;
  }
  if (value instanceof Switch) {
    return value.isPresent;
  }
  const items = value instanceof Hashtable ? undefined : enumerated(value);
  if (items) {
    const [first] = items;
    return (
      items.length > 1 ||
      (items.length === 1 &&
        first !== undefined &&
        (enumerated(first) ? toBool(first) || enumerated(first)?.length !== 0 : toBool(first)))
    );
  }
  return true;
}

export function isNumeric(value: Value): value is number | bigint | Num {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Num;
}

/** A number's value for JavaScript. */
export function plainNumber(value: number | bigint | Num): number {
  return value instanceof Num ? value.value : Number(value);
}

/** Smallest and largest values of whole numbers. */
const limits = new Map<NetType, readonly [bigint, bigint]>([
  [is.int, [-(2n ** 31n), 2n ** 31n - 1n]],
  [is.long, [-(2n ** 63n), 2n ** 63n - 1n]],
  [is.byte, [0n, 255n]],
  [is.sbyte, [-128n, 127n]],
  [is.int16, [-32768n, 32767n]],
  [is.uint16, [0n, 65535n]],
  [is.uint32, [0n, 2n ** 32n - 1n]],
  [is.uint64, [0n, 2n ** 64n - 1n]],
]);
const fractions = new Set<NetType>([is.double, is.single, is.decimal]);

export function isNumberType(type: NetType): boolean {
  return limits.has(type) || fractions.has(type);
}

/** A whole or other number of a type; halves are rounded to the even one. */
export function toNumber(value: number | bigint, type: NetType): Value | undefined {
  if (fractions.has(type)) {
    return new Num(type, Number(value));
  }
  const whole =
    typeof value === "bigint"
      ? value
      : Number.isFinite(value)
        ? BigInt(roundHalfEven(value))
        : undefined;
  const [low, high] = limits.get(type) ?? [0n, 0n];
  if (whole === undefined || whole < low || whole > high) {
    return undefined;
  }
  return type === is.int ? Number(whole) : type === is.long ? whole : new Num(type, Number(whole));
}

export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest < 0.5 ? floor : rest > 0.5 ? floor + 1 : floor % 2 === 0 ? floor : floor + 1;
}

/** A text as a number, as [int]"0x1F" and 1 + "2" read it; undefined: it is none. */
export function parseNumber(text: string): number | bigint | undefined {
  const trimmed = text.trim();
  if (trimmed === "") {
    return 0;
  }
  const match = /^([+-]?)(0x[0-9a-f]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(kb|mb|gb|tb|pb)?$/i.exec(
    trimmed,
  );
  if (!match) {
    return undefined;
  }
  const [, sign = "", digits = "", unit = ""] = match;
  const scale = 1024 ** ["", "kb", "mb", "gb", "tb", "pb"].indexOf(unit.toLowerCase());
  if (/^0x/i.test(digits)) {
    // As Int32 where it has up to eight digits: 0xFFFFFFFF is -1.
    const number =
      digits.length <= 10 ? BigInt.asIntN(32, BigInt(digits)) : BigInt.asIntN(64, BigInt(digits));
    return narrow(number * BigInt(scale) * (sign === "-" ? -1n : 1n));
  }
  if (/^\d+$/.test(digits)) {
    return narrow(BigInt(digits) * BigInt(scale) * (sign === "-" ? -1n : 1n));
  }
  return Number(sign + digits) * scale;
}

function narrow(number: bigint): number | bigint {
  return number >= -(2n ** 31n) && number < 2n ** 31n ? Number(number) : number;
}

/** A value turned into a type. Throws what a failing cast throws. */
export function convert(value: Value, type: NetType): Value {
  const converted = tryConvert(value, type);
  if (converted === undefined) {
    throw cannotConvert(value, type);
  }
  return converted;
}

function cannotConvert(value: Value, type: NetType): Raised {
  const from = isNull(value) ? "null" : typeOf(value).name;
  if (typeof value === "string" && limits.has(type)) {
    const number = parseNumber(value);
    return raised(
      "System.Management.Automation.RuntimeException",
      `Cannot convert value "${value}" to type "${type.name}". Error: "${
        number === undefined
          ? "Input string was not in a correct format."
          : `Value was either too large or too small for an ${type.shortName}.`
      }"`,
      { id: "InvalidCastFromStringToInteger" },
    );
  }
  const shown = isNull(value) ? "null" : `"${toText(value)}"`;
  return raised(
    "System.Management.Automation.PSInvalidCastException",
    isNumeric(value) && limits.has(type)
      ? `Cannot convert value ${shown} to type "${type.name}". Error: "Value was either too large or too small for an ${type.shortName}."`
      : `Cannot convert the ${shown} value of type "${from}" to type "${type.name}".`,
    {
      id:
        isNumeric(value) && limits.has(type)
          ? "InvalidCastIConvertible"
          : "ConvertToFinalInvalidCastException",
    },
  );
}

/** The same; undefined: it cannot be done. */
export function tryConvert(value: Value, type: NetType): Value | undefined {
  if (isNull(value)) {
    return convertNull(type);
  }
  if (typeOf(value).is(type) || type === is.psObject) {
    return type === is.psObject && value instanceof Hashtable ? toCustomObject(value) : value;
  }
  if (type === is.string) {
    return toText(value);
  }
  if (type === is.bool) {
    return toBool(value);
  }
  if (type === is.switchParameter) {
    return new Switch(type, toBool(value));
  }
  if (type.element) {
    return toArray(value, type);
  }
  if (isNumberType(type)) {
    return convertNumber(value, type);
  }
  if (type === is.char) {
    if (typeof value === "string") {
      return value.length === 1 ? is.toChar(value) : undefined;
    }
    const code = isNumeric(value)
      ? toNumber(value instanceof Num ? value.value : value, is.uint16)
      : undefined;
    return code instanceof Num ? new Char(is.char, code.value) : undefined;
  }
  if (type.enumeration) {
    return convertEnumeration(value, type);
  }
  if (type.convert) {
    return type.convert(value);
  }
  if (type.name === "System.Type") {
    return undefined;
  }
  if (type.name === "System.Array") {
    return is.array([value]);
  }
  return convertByMember(value, type);
}

function convertNull(type: NetType): Value | undefined {
  if (type === is.string) {
    return "";
  }
  if (type === is.bool) {
    return false;
  }
  if (type === is.switchParameter) {
    return new Switch(type, false);
  }
  if (isNumberType(type)) {
    return toNumber(0, type);
  }
  if (type === is.char) {
    return new Char(is.char, 0);
  }
  return type.isValueType ? undefined : null;
}

function toArray(value: Value, type: NetType): Value | undefined {
  const items: Value[] = [];
  for (const item of enumerated(value) ?? [value]) {
    const converted = tryConvert(item, type.element as NetType);
    if (converted === undefined) {
      return undefined;
    }
    items.push(converted);
  }
  return new PsArray(type, items);
}

function convertNumber(value: Exclude<Value, null>, type: NetType): Value | undefined {
  if (value instanceof PsArray && value.items.length === 1) {
    return tryConvert(value.items[0] as Value, type);
  }
  if (typeof value === "string") {
    const number = parseNumber(value);
    return number === undefined ? undefined : toNumber(number, type);
  }
  if (typeof value === "boolean") {
    return toNumber(value ? 1 : 0, type);
  }
  if (value instanceof Char) {
    return toNumber(value.code, type);
  }
  if (value instanceof EnumValue) {
    return toNumber(value.number, type);
  }
  return isNumeric(value) ? toNumber(value instanceof Num ? value.value : value, type) : undefined;
}

function convertEnumeration(value: Value, type: NetType): Value | undefined {
  if (typeof value === "string") {
    const names = value.split(",").map((name) => type.enumeration?.get(name.trim().toLowerCase()));
    if (names.length === 1) {
      return names[0];
    }
    const known = names.filter((name) => name !== undefined).sort((a, b) => a.number - b.number);
    return known.length === names.length
      ? new EnumValue(
          type,
          known.map((name) => name.name).join(", "),
          known.reduce((sum, name) => sum | name.number, 0),
        )
      : undefined;
  }
  const number = isNumeric(value) ? plainNumber(value) : undefined;
  return [...(type.enumeration?.values() ?? [])].find((each) => each.number === number);
}

/** By the type's own Parse for a text, else by a constructor that takes the value. */
function convertByMember(value: Value, type: NetType): Value | undefined {
  const parse = typeof value === "string" ? type.staticMethods.get("parse") : undefined;
  const member = [...(parse ?? []), ...type.constructors].find((each) => {
    const [parameter] = each.parameters;
    return (
      parameter !== undefined &&
      each.parameters.length === 1 &&
      !isNull(value) &&
      typeOf(value).isNamed(parameter)
    );
  });
  if (!member) {
    return undefined;
  }
  try {
    const made = member.call(null, [value]);
    if (made instanceof Promise || made === undefined) {
      throw new Unsupported(`a conversion to [${type.name}]`);
    }
    return made;
  } catch (error) {
    if (error instanceof Raised) {
      throw raised(
        "System.Management.Automation.PSInvalidCastException",
        `Cannot convert value "${toText(value)}" to type "${type.name}". Error: "${error.exception.message}"`,
        { id: "InvalidCastParseTargetInvocation", inner: error.exception },
      );
    }
    throw error;
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
