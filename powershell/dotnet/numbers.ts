/** System.Object, types as objects, enumerations, numbers, versions and GUIDs. */
import { randomUUID } from "node:crypto";
import { convert, toNumber, toText } from "../convert.ts";
import { formatNumber } from "../format.ts";
import * as is from "../types.ts";
import { raised, typeOf, types } from "../types.ts";
import {
  Char,
  EnumValue,
  NetObject,
  type NetType,
  Num,
  type PsArray,
  type Raised,
  type Value,
} from "../values.ts";
import { argumentMessage } from "./exceptions.ts";

type Numeric = number | bigint | Num;

/** The state of objects that are equal by what they hold. */
export abstract class Ordered {
  /** Less than, equal or greater than 0; undefined: nothing to compare with. */
  abstract compareTo(other: unknown): number | undefined;
}

export function formatError(message = "Input string was not in a correct format."): Raised {
  return raised("System.FormatException", message, { hresult: -2146233033 });
}

/** Out of the range of valid values. */
export function outOfRange(message: string, parameter: string): Raised {
  return raised("System.ArgumentOutOfRangeException", argumentMessage(message, parameter), {
    hresult: -2146233086,
    details: new Map([["paramname", parameter]]),
  });
}

export function badArgument(message: string, parameter: string | null = null): Raised {
  return raised("System.ArgumentException", argumentMessage(message, parameter), {
    hresult: -2147024809,
    details: new Map([["paramname", parameter]]),
  });
}

export function missingArgument(parameter: string): Raised {
  return raised(
    "System.ArgumentNullException",
    argumentMessage("Value cannot be null.", parameter),
    {
      hresult: -2147467261,
      details: new Map([["paramname", parameter]]),
    },
  );
}

/** As Object.Equals: of one type and with the same in it. */
function sameValue(left: Value, right: Value): boolean {
  if (left instanceof Num && right instanceof Num) {
    return left.type === right.type && left.value === right.value;
  }
  if (left instanceof Char && right instanceof Char) {
    return left.code === right.code;
  }
  if (left instanceof EnumValue && right instanceof EnumValue) {
    return left.type === right.type && left.number === right.number;
  }
  if (left instanceof NetObject && right instanceof NetObject && left.state instanceof Ordered) {
    return left.type === right.type && left.state.compareTo(right.state) === 0;
  }
  return left === right;
}

types.extend("System.Object", {
  methods: {
    "GetType()": (self: Exclude<Value, null>) => typeOf(self),
    "ToString()": (self: Exclude<Value, null>) => typeOf(self).name,
    "Equals(object)": (self: Value, other: Value) => sameValue(self, other),
  },
  staticMethods: {
    "Equals(object, object)": (_: null, left: Value, right: Value) => sameValue(left, right),
    "ReferenceEquals(object, object)": (_: null, left: Value, right: Value) =>
      typeof left === "object" && left === right,
  },
  unsupported: ["GetHashCode"],
});

types.define({ name: "System.IDisposable" });
types.define({ name: "System.IFormatProvider" });
types.define({ name: "System.IComparable" });
types.define({ name: "System.Type", aliases: ["type"] });

const runtimeType = types.get("System.Object").type;
types.register(runtimeType, "System.RuntimeType");
types.extend(runtimeType, {
  interfaces: ["System.Type"],
  properties: {
    Name: (self: NetType) => self.shortName,
    FullName: (self: NetType) => self.name,
    Namespace: (self: NetType) => self.name.slice(0, Math.max(0, self.name.lastIndexOf("."))),
    BaseType: (self: NetType) => self.base ?? null,
    IsArray: (self: NetType) => self.element !== undefined,
    IsEnum: (self: NetType) => self.enumeration !== undefined,
    IsValueType: (self: NetType) => self.isValueType,
  },
  methods: {
    "ToString()": (self: NetType) => self.name,
    "GetType()": (self: NetType) => self.type,
    "Equals(object)": (self: NetType, other: Value) => self === other,
    "GetElementType()": (self: NetType) => self.element ?? null,
    "IsAssignableFrom(type)": (self: NetType, other: NetType) => other.is(self),
    "IsSubclassOf(type)": (self: NetType, other: NetType) => self !== other && other.is(self),
  },
  unsupported: [
    ...[
      "Assembly",
      "AssemblyQualifiedName",
      "GUID",
      "Module",
      "GetMethod",
      "GetMethods",
      "GetProperty",
    ],
    ...[
      "GetProperties",
      "GetField",
      "GetFields",
      "GetMember",
      "GetMembers",
      "GetConstructor",
      "GetConstructors",
    ],
    ...[
      "InvokeMember",
      "GetHashCode",
      "IsInstanceOfType",
      "IsGenericType",
      "IsAbstract",
      "IsPublic",
      "IsClass",
    ],
    ...["IsInterface", "IsPrimitive", "GetInterfaces", "UnderlyingSystemType"],
  ],
});

types.extend("System.Enum", {
  properties: { value__: (self: EnumValue) => self.number },
  methods: {
    "ToString()": (self: EnumValue) => self.name,
    "ToString(string)": (self: EnumValue, format: string) => {
      switch (format.toLowerCase()) {
        case "d":
          return String(self.number);
        case "x":
          return formatNumber(self.number, "X8");
        default:
          return self.name;
      }
    },
    "HasFlag(System.Enum)": (self: EnumValue, flag: EnumValue) =>
      (self.number & flag.number) === flag.number,
    "CompareTo(object)": (self: EnumValue, other: EnumValue) =>
      Math.sign(self.number - other.number),
  },
  staticMethods: {
    "GetNames(type)": (_: null, type: NetType) =>
      is.array(
        [...(type.enumeration?.values() ?? [])].map((each) => each.name),
        types.get("string[]"),
      ),
    "GetValues(type)": (_: null, type: NetType) =>
      is.array([...(type.enumeration?.values() ?? [])]),
    "IsDefined(type, object)": (_: null, type: NetType, value: Value) =>
      [...(type.enumeration?.values() ?? [])].some((each) =>
        typeof value === "string"
          ? each.name === value
          : sameValue(each, value) || each.number === value,
      ),
    "Parse(type, string)": (_: null, type: NetType, text: string) => convert(text, type),
    "Parse(type, string, bool)": (_: null, type: NetType, text: string) => convert(text, type),
  },
});

const cultureInfo = types.define({
  name: "System.Globalization.CultureInfo",
  aliases: ["cultureinfo"],
  interfaces: ["System.IFormatProvider"],
  properties: { Name: () => "", DisplayName: () => "Invariant Language (Invariant Country)" },
  methods: { "ToString()": () => "" },
  staticProperties: {
    InvariantCulture: () => invariantCulture,
    CurrentCulture: () => invariantCulture,
    CurrentUICulture: () => invariantCulture,
  },
  unsupported: [
    "DateTimeFormat",
    "NumberFormat",
    "TextInfo",
    "LCID",
    "Parent",
    "CompareInfo",
    "TwoLetterISOLanguageName",
  ],
});
const invariantCulture = new NetObject(cultureInfo, undefined);

/** Range of whole numbers, by the number of bits, and whether they have a sign. */
const wholeTypes: readonly (readonly [NetType, bits: number, signed: boolean])[] = [
  [is.int, 32, true],
  [is.long, 64, true],
  [is.byte, 8, false],
  [is.sbyte, 8, true],
  [is.int16, 16, true],
  [is.uint16, 16, false],
  [is.uint32, 32, false],
  [is.uint64, 64, false],
];

for (const [type, bits, signed] of wholeTypes) {
  const low = signed ? -(2n ** BigInt(bits - 1)) : 0n;
  const high = 2n ** BigInt(signed ? bits - 1 : bits) - 1n;
  const parse = (text: string | null) => {
    if (text === null) {
      throw missingArgument("String");
    }
    if (!/^\s*[+-]?\d+\s*$/.test(text)) {
      throw formatError();
    }
    const number = toNumber(BigInt(text.trim().replace("+", "")), type);
    if (number === undefined) {
      throw raised(
        "System.OverflowException",
        `Value was either too large or too small for an ${type.shortName}.`,
      );
    }
    return number;
  };
  types.extend(type, {
    staticProperties: {
      MaxValue: () => toNumber(high, type) ?? null,
      MinValue: () => toNumber(low, type) ?? null,
    },
    staticMethods: {
      "Parse(string)": (_: null, text: string | null) => parse(text),
      "Parse(string, System.IFormatProvider)": (_: null, text: string | null) => parse(text),
    },
  });
}

for (const type of [is.double, is.single, is.decimal]) {
  const parse = (text: string) => {
    const plain = text.trim().replaceAll(",", "");
    if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(plain)) {
      throw formatError();
    }
    return new Num(type, Number(plain));
  };
  types.extend(type, {
    staticMethods: {
      "Parse(string)": (_: null, text: string) => parse(text),
      "Parse(string, System.IFormatProvider)": (_: null, text: string) => parse(text),
    },
  });
}
types.extend(is.double, {
  staticProperties: {
    MaxValue: () => is.toDouble(Number.MAX_VALUE),
    MinValue: () => is.toDouble(-Number.MAX_VALUE),
    NaN: () => is.toDouble(NaN),
    PositiveInfinity: () => is.toDouble(Infinity),
    NegativeInfinity: () => is.toDouble(-Infinity),
  },
  staticMethods: {
    "IsNaN(double)": (_: null, value: Num) => Number.isNaN(value.value),
    "IsInfinity(double)": (_: null, value: Num) => Math.abs(value.value) === Infinity,
  },
});

function plain(value: Numeric): number {
  return value instanceof Num ? value.value : Number(value);
}

for (const type of [...wholeTypes.map(([each]) => each), is.double, is.single, is.decimal]) {
  types.extend(type, {
    interfaces: ["System.IComparable"],
    methods: {
      "ToString()": (self: Numeric) => toText(self),
      "ToString(string)": (self: Numeric, format: string | null) =>
        formatNumber(self, format ?? "G"),
      "ToString(System.IFormatProvider)": (self: Numeric) => toText(self),
      "ToString(string, System.IFormatProvider)": (self: Numeric, format: string | null) =>
        formatNumber(self, format ?? "G"),
      [`CompareTo(${type.name})`]: (self: Numeric, other: Numeric) =>
        Math.sign(plain(self) - plain(other)),
    },
    unsupported: ["GetTypeCode"],
  });
}

types.extend(is.bool, {
  methods: { "ToString()": (self: boolean) => toText(self) },
  staticProperties: { TrueString: () => "True", FalseString: () => "False" },
  staticMethods: {
    "Parse(string)": (_: null, text: string) => {
      if (!/^(?:true|false)$/i.test(text.trim())) {
        throw formatError("String was not recognized as a valid Boolean.");
      }
      return /^true$/i.test(text.trim());
    },
  },
});

// Math

/** Halves go to the even neighbour, or away from zero. */
function roundTo(value: number, digits: number, awayFromZero: boolean): number {
  if (digits < 0 || digits > 15) {
    throw outOfRange("Rounding digits must be between 0 and 15, inclusive.", "digits");
  }
  if (Math.abs(value) >= 1e16) {
    return value;
  }
  const scale = 10 ** digits;
  const scaled = Math.abs(value * scale);
  const floor = Math.floor(scaled);
  const half = scaled - floor;
  const up = half > 0.5 || (half === 0.5 && (awayFromZero || floor % 2 === 1));
  return (Math.sign(value) * (up ? floor + 1 : floor)) / scale;
}

const midpointRounding = types.define({
  name: "System.MidpointRounding",
  enumeration: { ToEven: 0, AwayFromZero: 1 },
});
const isAway = (value: EnumValue) => value === midpointRounding.enumeration?.get("awayfromzero");

const real = (calculate: (value: number) => number) => (_: null, value: Num) =>
  new Num(value.type, calculate(value.value));
const inDouble =
  (calculate: (first: number, second: number) => number) => (_: null, first: Num, second?: Num) =>
    is.toDouble(calculate(first.value, second?.value ?? 0));

const math = types.define({
  name: "System.Math",
  staticProperties: { PI: () => is.toDouble(Math.PI), E: () => is.toDouble(Math.E) },
  staticMethods: {
    "Pow(double, double)": inDouble((base, power) => base ** power),
    "Sqrt(double)": inDouble(Math.sqrt),
    "Exp(double)": inDouble(Math.exp),
    "Log(double)": inDouble(Math.log),
    "Log(double, double)": inDouble((value, base) => Math.log(value) / Math.log(base)),
    "Log10(double)": inDouble(Math.log10),
  },
});
for (const type of [is.double, is.decimal]) {
  const name = type.name;
  types.extend(math, {
    staticMethods: {
      [`Floor(${name})`]: real(Math.floor),
      [`Ceiling(${name})`]: real(Math.ceil),
      [`Truncate(${name})`]: real(Math.trunc),
      [`Round(${name})`]: real((value) => roundTo(value, 0, false)),
      [`Round(${name}, int)`]: (_: null, value: Num, digits: number) =>
        new Num(type, roundTo(value.value, digits, false)),
      [`Round(${name}, System.MidpointRounding)`]: (_: null, value: Num, mode: EnumValue) =>
        new Num(type, roundTo(value.value, 0, isAway(mode))),
      [`Round(${name}, int, System.MidpointRounding)`]: (
        _: null,
        value: Num,
        digits: number,
        mode: EnumValue,
      ) => new Num(type, roundTo(value.value, digits, isAway(mode))),
    },
  });
}
for (const type of [
  is.int,
  is.long,
  is.double,
  is.decimal,
  is.byte,
  is.int16,
  is.uint16,
  is.uint32,
  is.uint64,
  is.single,
]) {
  const { name } = type;
  types.extend(math, {
    staticMethods: {
      [`Max(${name}, ${name})`]: (_: null, first: Numeric, second: Numeric) =>
        plain(first) >= plain(second) || Number.isNaN(plain(first)) ? first : second,
      [`Min(${name}, ${name})`]: (_: null, first: Numeric, second: Numeric) =>
        plain(first) <= plain(second) || Number.isNaN(plain(first)) ? first : second,
      [`Abs(${name})`]: (_: null, value: Numeric) =>
        value instanceof Num ? new Num(type, Math.abs(value.value)) : absolute(value, type),
      [`Sign(${name})`]: (_: null, value: Numeric) => Math.sign(plain(value)),
    },
  });
}

function absolute(value: number | bigint, type: NetType): Value {
  const result = toNumber(value < 0 ? -value : value, type);
  if (result === undefined) {
    throw raised(
      "System.OverflowException",
      "Negating the minimum value of a twos complement number is invalid.",
    );
  }
  return result;
}

// Convert and BitConverter

export function toBytes(value: PsArray): Buffer {
  return Buffer.from(value.items.map((item) => plain(item as Numeric)));
}

function fromBase64(text: string): Buffer {
  const digits = text.replace(/[ \t\r\n]/g, "");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) {
    throw formatError(
      "The input is not a valid Base-64 string as it contains a non-base 64 character, more than two padding " +
        "characters, or an illegal character among the padding characters. ",
    );
  }
  if (digits.length % 4 !== 0) {
    throw formatError("Invalid length for a Base-64 char array or string.");
  }
  return Buffer.from(digits, "base64");
}

/** Digits of a number of so many bits to a base; other bases than 10 show the bits of a negative one. */
const digitsOf = (bits: number) => (_: null, value: Numeric, base: number) => {
  const whole = BigInt(value instanceof Num ? value.value : value);
  if (![2, 8, 10, 16].includes(base)) {
    throw badArgument("Invalid Base.");
  }
  return (base === 10 ? whole : BigInt.asUintN(bits, whole)).toString(base);
};

function fromDigits(text: string, base: number, type: NetType): Value {
  const digits: Record<number, RegExp> = {
    2: /^[01]+$/,
    8: /^[0-7]+$/,
    10: /^-?\d+$/,
    16: /^(?:0x)?[0-9a-f]+$/i,
  };
  const valid = digits[base];
  if (!valid) {
    throw badArgument("Invalid Base.");
  }
  if (!valid.test(text)) {
    throw formatError(
      text === "" ? "Index was out of range." : "Could not find any recognizable digits.",
    );
  }
  const prefix: Record<number, string> = { 2: "0b", 8: "0o", 10: "", 16: "0x" };
  const number = BigInt(base === 10 ? text : `${prefix[base] ?? ""}${text.replace(/^0x/i, "")}`);
  const bits = wholeTypes.find(([each]) => each === type)?.[1] ?? 32;
  const signed = type === is.int || type === is.long || type === is.int16;
  const result =
    number < 2n ** BigInt(bits)
      ? toNumber(signed && base !== 10 ? BigInt.asIntN(bits, number) : number, type)
      : undefined;
  if (result === undefined) {
    throw raised(
      "System.OverflowException",
      `Value was either too large or too small for a ${type.shortName}.`,
    );
  }
  return result;
}

const conversions: readonly (readonly [string, NetType])[] = [
  ["ToInt32", is.int],
  ["ToInt64", is.long],
  ["ToByte", is.byte],
  ["ToInt16", is.int16],
  ["ToUInt16", is.uint16],
  ["ToUInt32", is.uint32],
  ["ToUInt64", is.uint64],
];
types.define({
  name: "System.Convert",
  staticMethods: {
    "ToBase64String(byte[])": (_: null, data: PsArray | null) => {
      if (data === null) {
        throw missingArgument("inArray");
      }
      return toBytes(data).toString("base64");
    },
    "ToBase64String(byte[], int, int)": (
      _: null,
      data: PsArray,
      offset: number,
      length: number,
    ) => {
      if (offset < 0 || length < 0 || offset + length > data.items.length) {
        throw outOfRange("Offset and length must refer to a position in the string.", "offset");
      }
      return toBytes(data)
        .subarray(offset, offset + length)
        .toString("base64");
    },
    "FromBase64String(string)": (_: null, text: string | null) => {
      if (text === null) {
        throw missingArgument("s");
      }
      return is.bytes(fromBase64(text));
    },
    "ToString(int, int)": digitsOf(32),
    "ToString(byte, int)": digitsOf(8),
    "ToString(int16, int)": digitsOf(16),
    "ToString(long, int)": digitsOf(64),
    "ToString(object)": (_: null, value: Value) => toText(value),
    ...Object.fromEntries(
      conversions.flatMap(
        ([name, type]): [string, (_: null, value: Value, base: number) => Value][] => [
          [`${name}(string, int)`, (_, text, base) => fromDigits(text as string, base, type)],
          [`${name}(object)`, (_, value) => convert(value, type)],
        ],
      ),
    ),
    "ToDouble(object)": (_: null, value: Value) => convert(value, is.double),
    "ToBoolean(bool)": (_: null, value: boolean) => value,
    "ToChar(int)": (_: null, value: number) => new Char(is.char, value),
  },
});

const littleEndian =
  (write: (buffer: Buffer, value: Numeric) => void, size: number) => (_: null, value: Numeric) => {
    const buffer = Buffer.alloc(size);
    write(buffer, value);
    return is.bytes(buffer);
  };
const readAt =
  (size: number, read: (buffer: Buffer, start: number) => Value) =>
  (_: null, data: PsArray, start: number): Value => {
    if (start < 0 || start + size > data.items.length) {
      throw outOfRange(
        "Index was out of range. Must be non-negative and less than the size of the collection.",
        "startIndex",
      );
    }
    return read(toBytes(data), start);
  };
types.define({
  name: "System.BitConverter",
  staticProperties: { IsLittleEndian: () => true },
  staticMethods: {
    "ToString(byte[])": (_: null, data: PsArray) =>
      toBytes(data)
        .toString("hex")
        .toUpperCase()
        .replace(/..(?=.)/g, "$&-"),
    "GetBytes(int)": littleEndian((buffer, value) => buffer.writeInt32LE(plain(value)), 4),
    "GetBytes(long)": littleEndian(
      (buffer, value) => buffer.writeBigInt64LE(BigInt(plain(value))),
      8,
    ),
    "GetBytes(uint32)": littleEndian((buffer, value) => buffer.writeUInt32LE(plain(value)), 4),
    "GetBytes(uint16)": littleEndian((buffer, value) => buffer.writeUInt16LE(plain(value)), 2),
    "ToInt32(byte[], int)": readAt(4, (buffer, start) => buffer.readInt32LE(start)),
    "ToUInt32(byte[], int)": readAt(
      4,
      (buffer, start) => new Num(is.uint32, buffer.readUInt32LE(start)),
    ),
    "ToUInt16(byte[], int)": readAt(
      2,
      (buffer, start) => new Num(is.uint16, buffer.readUInt16LE(start)),
    ),
    "ToInt64(byte[], int)": readAt(8, (buffer, start) => buffer.readBigInt64LE(start)),
  },
});

// Version

export class VersionState extends Ordered {
  /** Two to four of them. */
  constructor(readonly parts: readonly number[]) {
    super();
  }

  override compareTo(other: unknown): number | undefined {
    if (!(other instanceof VersionState)) {
      return undefined;
    }
    // A part that is not there is less than 0.
    const differences = [0, 1, 2, 3].map((index) =>
      Math.sign((this.parts[index] ?? -1) - (other.parts[index] ?? -1)),
    );
    return differences.find((each) => each !== 0) ?? 0;
  }
}

type VersionObject = NetObject<VersionState>;

export function version(text: string): VersionObject {
  const parts = text.split(".");
  if (parts.length < 2 || parts.length > 4) {
    throw badArgument("Version string portion was too short or too long.", "version");
  }
  if (parts.some((part) => !/^\s*\d+\s*$/.test(part))) {
    throw formatError();
  }
  return new NetObject(versionType, new VersionState(parts.map(Number)));
}

const versionOf = (_: null, ...parts: number[]) =>
  new NetObject(versionType, new VersionState(parts));
const versionType: NetType = types.define({
  name: "System.Version",
  aliases: ["version"],
  interfaces: ["System.IComparable"],
  properties: Object.fromEntries(
    ["Major", "Minor", "Build", "Revision"].map(
      (name, index): [string, (self: VersionObject) => Value] => [
        name,
        (self) => self.state.parts[index] ?? -1,
      ],
    ),
  ),
  methods: {
    "ToString()": (self: VersionObject) => self.state.parts.join("."),
    "ToString(int)": (self: VersionObject, count: number) => {
      if (count < 0 || count > self.state.parts.length) {
        throw badArgument("Argument must be between 0 and the number of components.", "fieldCount");
      }
      return self.state.parts.slice(0, count).join(".");
    },
    "CompareTo(version)": (self: VersionObject, other: VersionObject) =>
      self.state.compareTo(other.state) ?? 1,
    "Equals(version)": (self: VersionObject, other: VersionObject) =>
      self.state.compareTo(other.state) === 0,
  },
  staticMethods: { "Parse(string)": (_: null, text: string) => version(text) },
  constructors: {
    "(string)": (_: null, text: string) => version(text),
    "(int, int)": versionOf,
    "(int, int, int)": versionOf,
    "(int, int, int, int)": versionOf,
  },
  unsupported: ["MajorRevision", "MinorRevision"],
});

// Guid

class GuidState extends Ordered {
  /** 32 digits in lower case. */
  constructor(readonly digits: string) {
    super();
  }

  override compareTo(other: unknown): number | undefined {
    return other instanceof GuidState
      ? this.digits < other.digits
        ? -1
        : Number(this.digits > other.digits)
      : undefined;
  }
}

function guid(text: string): NetObject<GuidState> {
  const form =
    /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\{[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}|\([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\))$/i;
  if (!form.test(text.trim())) {
    throw formatError(
      "Guid should contain 32 digits with 4 dashes (xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx).",
    );
  }
  return new NetObject(guidType, new GuidState(text.replace(/[^0-9a-f]/gi, "").toLowerCase()));
}

function guidText({ digits }: GuidState, format: string): string {
  const dashed = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  switch (format.toUpperCase()) {
    case "N":
      return digits;
    case "":
    case "D":
      return dashed;
    case "B":
      return `{${dashed}}`;
    case "P":
      return `(${dashed})`;
    default:
      throw formatError(
        'Format String can be only "D", "d", "N", "n", "P", "p", "B", "b", "X" or "x".',
      );
  }
}

const guidType: NetType = types.define({
  name: "System.Guid",
  aliases: ["guid"],
  isValueType: true,
  interfaces: ["System.IComparable"],
  methods: {
    "ToString()": (self: NetObject<GuidState>) => guidText(self.state, "D"),
    "ToString(string)": (self: NetObject<GuidState>, format: string) =>
      guidText(self.state, format),
  },
  staticProperties: { Empty: () => guid("0".repeat(32)) },
  staticMethods: {
    "NewGuid()": () => guid(randomUUID()),
    "Parse(string)": (_: null, text: string) => guid(text),
  },
  constructors: { "(string)": (_: null, text: string) => guid(text) },
  unsupported: ["ToByteArray"],
});
