/** What all objects have, types as objects, enumerations, numbers, versions and GUIDs. */
import { randomUUID } from "node:crypto";
import { convert, isNumeric, plainNumber, toNumber, toText } from "../convert.ts";
import { formatNumber } from "../format.ts";
import * as is from "../types.ts";
import { raised, typeOf, types } from "../types.ts";
import {
  Char,
  EnumValue,
  NetObject,
  Num,
  type NetType,
  type PsArray,
  type Value,
} from "../values.ts";
import { toBuffer } from "./encoding.ts";
import { badArgument, badFormat, missingArgument, outOfRange } from "./exceptions.ts";

type Numeric = number | bigint | Num;

/** The state of objects that are equal by what they hold. */
export abstract class Ordered {
  /** Less than, equal or greater than 0; undefined: nothing to compare with. */
  abstract compareTo(other: unknown): number | undefined;
}

/** As Object.Equals: of one type and with the same in it. */
function sameValue(left: Value, right: Value): boolean {
  if (isNumeric(left) && isNumeric(right)) {
    return typeOf(left) === typeOf(right) && plainNumber(left) === plainNumber(right);
  }
  if (left instanceof Char && right instanceof Char) {
    return left.code === right.code;
  }
  if (left instanceof EnumValue && right instanceof EnumValue) {
    return left.type === right.type && left.number === right.number;
  }
  if (left instanceof NetObject && right instanceof NetObject && left.state instanceof Ordered) {
    return left.state.compareTo(right.state) === 0;
  }
  return left === right;
}

types.extend("System.Object", {
  methods: {
    "GetType()": (self: Exclude<Value, null>) => typeOf(self),
    "ToString()": (self: Exclude<Value, null>) => typeOf(self).name,
    "Equals(object)": sameValue,
  },
});
for (const name of ["IDisposable", "IFormatProvider", "IComparable", "Type"]) {
  types.define({ name: `System.${name}` });
}

const runtimeType = is.int.type;
types.register(runtimeType, "System.RuntimeType");
types.extend(runtimeType, {
  interfaces: ["System.Type"],
  properties: {
    Name: (self: NetType) => self.shortName,
    FullName: (self: NetType) => self.name,
    Namespace: (self: NetType) => self.name.slice(0, -self.shortName.length - 1),
    BaseType: (self: NetType) => self.base ?? null,
    IsArray: (self: NetType) => self.element !== undefined,
    IsEnum: (self: NetType) => self.enumeration !== undefined,
  },
  methods: {
    "ToString()": (self: NetType) => self.name,
    "GetType()": (self: NetType) => self.type,
    "Equals(object)": (self: NetType, other: Value) => self === other,
  },
  unsupported: [
    ...["Assembly", "AssemblyQualifiedName", "GUID", "Module", "IsGenericType", "IsAbstract"],
    ...["IsPublic", "IsClass", "IsInterface", "IsPrimitive", "IsValueType"],
  ],
});

types.extend("System.Enum", {
  properties: { value__: (self: EnumValue) => self.number },
  methods: {
    "ToString()": (self: EnumValue) => self.name,
    "HasFlag(System.Enum)": (self: EnumValue, flag: EnumValue) =>
      (self.number & flag.number) === flag.number,
  },
});

const cultureInfo = types.define({
  name: "System.Globalization.CultureInfo",
  aliases: ["cultureinfo"],
  interfaces: ["System.IFormatProvider"],
  properties: { Name: () => "" },
  staticProperties: { InvariantCulture: () => invariantCulture },
  unsupported: ["DisplayName", "DateTimeFormat", "NumberFormat", "TextInfo", "LCID", "Parent"],
});
const invariantCulture = new NetObject(cultureInfo, undefined);

/** Whole numbers: bits, and whether they have a sign. */
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

function overflow(type: NetType) {
  return raised(
    "System.OverflowException",
    `Value was either too large or too small for an ${type.shortName}.`,
  );
}

for (const [type, bits, signed] of wholeTypes) {
  const low = signed ? -(2n ** BigInt(bits - 1)) : 0n;
  const high = 2n ** BigInt(signed ? bits - 1 : bits) - 1n;
  types.extend(type, {
    staticProperties: {
      MaxValue: () => toNumber(high, type) ?? null,
      MinValue: () => toNumber(low, type) ?? null,
    },
    staticMethods: {
      "Parse(string)": (_: null, text: string | null) => {
        if (text === null) {
          throw missingArgument("String");
        }
        if (!/^\s*[+-]?\d+\s*$/.test(text)) {
          throw badFormat();
        }
        const number = toNumber(BigInt(text.trim().replace("+", "")), type);
        if (number === undefined) {
          throw overflow(type);
        }
        return number;
      },
    },
  });
}

const realTypes = [is.double, is.single, is.decimal];
for (const type of realTypes) {
  types.extend(type, {
    staticMethods: {
      "Parse(string)": (_: null, text: string) => {
        const plain = text.trim().replaceAll(",", "");
        if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(plain)) {
          throw badFormat();
        }
        return new Num(type, Number(plain));
      },
    },
  });
}

for (const type of [...wholeTypes.map(([each]) => each), ...realTypes]) {
  const format = (self: Numeric, text: string | null) => formatNumber(self, text ?? "G");
  types.extend(type, {
    interfaces: ["System.IComparable"],
    methods: {
      "ToString()": toText,
      "ToString(string)": format,
      "ToString(System.IFormatProvider)": (self: Numeric) => toText(self),
      "ToString(string, System.IFormatProvider)": format,
    },
  });
}
types.extend(is.bool, { methods: { "ToString()": toText } });

// Math

/** Halves go to the even neighbour. */
function roundTo(value: number, digits: number): number {
  if (digits < 0 || digits > 15) {
    throw outOfRange("Rounding digits must be between 0 and 15, inclusive.", "digits");
  }
  const scale = 10 ** digits;
  const scaled = Math.abs(value * scale);
  const floor = Math.floor(scaled);
  const up = scaled - floor > 0.5 || (scaled - floor === 0.5 && floor % 2 === 1);
  return Math.abs(value) < 1e16 ? (Math.sign(value) * (up ? floor + 1 : floor)) / scale : value;
}

const math = types.define({ name: "System.Math" });
for (const type of [is.double, is.decimal]) {
  const by = (calculate: (value: number) => number) => (_: null, value: Num) =>
    new Num(type, calculate(value.value));
  types.extend(math, {
    staticMethods: {
      [`Floor(${type.name})`]: by(Math.floor),
      [`Ceiling(${type.name})`]: by(Math.ceil),
      [`Truncate(${type.name})`]: by(Math.trunc),
      [`Round(${type.name})`]: by((value) => roundTo(value, 0)),
      [`Round(${type.name}, int)`]: (_: null, value: Num, digits: number) =>
        new Num(type, roundTo(value.value, digits)),
    },
  });
}
for (const type of [is.int, is.long, is.double, is.decimal, is.byte, is.uint32, is.uint64]) {
  const { name } = type;
  types.extend(math, {
    staticMethods: {
      [`Max(${name}, ${name})`]: (_: null, first: Numeric, second: Numeric) =>
        plainNumber(first) >= plainNumber(second) ? first : second,
      [`Min(${name}, ${name})`]: (_: null, first: Numeric, second: Numeric) =>
        plainNumber(first) <= plainNumber(second) ? first : second,
      [`Abs(${name})`]: (_: null, value: Numeric) => {
        const plain = value instanceof Num ? value.value : value;
        const result = toNumber(plain < 0 ? -plain : plain, type);
        if (result === undefined) {
          throw overflow(type);
        }
        return result;
      },
    },
  });
}

// Convert and BitConverter

function fromBase64(text: string | null): PsArray {
  if (text === null) {
    throw missingArgument("s");
  }
  const digits = text.replace(/[ \t\r\n]/g, "");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) {
    throw badFormat(
      "The input is not a valid Base-64 string as it contains a non-base 64 character, more than " +
        "two padding characters, or an illegal character among the padding characters. ",
    );
  }
  if (digits.length % 4 !== 0) {
    throw badFormat("Invalid length for a Base-64 char array or string.");
  }
  return is.bytes(Buffer.from(digits, "base64"));
}

/** Digits of a number of so many bits to a base; but to base 10 they show the bits of a negative one. */
const digitsOf = (bits: number) => (_: null, value: Numeric, base: number) => {
  checkBase(base);
  const whole = BigInt(value instanceof Num ? value.value : value);
  return (base === 10 ? whole : BigInt.asUintN(bits, whole)).toString(base);
};

function checkBase(base: number): void {
  if (![2, 8, 10, 16].includes(base)) {
    throw badArgument("Invalid Base.", "");
  }
}

const prefixes: Readonly<Record<number, string>> = { 2: "0b", 8: "0o", 16: "0x" };
const fromDigits = (type: NetType, bits: number) => (_: null, text: string, base: number) => {
  checkBase(base);
  const written = `${prefixes[base] ?? ""}${base === 16 ? text.replace(/^0x/i, "") : text}`;
  if (!/^(?:0b[01]+|0o[0-7]+|0x[0-9a-f]+|-?\d+)$/i.test(written)) {
    throw badFormat("Could not find any recognizable digits.");
  }
  const whole = BigInt(written);
  const fits = base === 10 || whole < 2n ** BigInt(bits);
  const number = fits
    ? toNumber(base === 10 || type === is.byte ? whole : BigInt.asIntN(bits, whole), type)
    : undefined;
  if (number === undefined) {
    throw overflow(type);
  }
  return number;
};

types.define({
  name: "System.Convert",
  staticMethods: {
    "ToBase64String(byte[])": (_: null, data: PsArray | null) => {
      if (data === null) {
        throw missingArgument("inArray");
      }
      return toBuffer(data).toString("base64");
    },
    "ToBase64String(byte[], int, int)": (_: null, data: PsArray, start: number, length: number) => {
      if (start < 0 || length < 0 || start + length > data.items.length) {
        throw outOfRange("Offset and length must refer to a position in the string.", "offset");
      }
      const end = start + length;
      return toBuffer(data).subarray(start, end).toString("base64");
    },
    "FromBase64String(string)": (_: null, text: string | null) => fromBase64(text),
    "ToString(int, int)": digitsOf(32),
    "ToString(byte, int)": digitsOf(8),
    "ToString(long, int)": digitsOf(64),
    "ToInt32(string, int)": fromDigits(is.int, 32),
    "ToInt64(string, int)": fromDigits(is.long, 64),
    "ToByte(string, int)": fromDigits(is.byte, 8),
    "ToInt32(object)": (_: null, value: Value) => convert(value, is.int),
    "ToInt64(object)": (_: null, value: Value) => convert(value, is.long),
    "ToByte(object)": (_: null, value: Value) => convert(value, is.byte),
  },
});
types.define({
  name: "System.BitConverter",
  staticMethods: {
    "ToString(byte[])": (_: null, data: PsArray) =>
      toBuffer(data)
        .toString("hex")
        .toUpperCase()
        .replace(/..(?=.)/g, "$&-"),
  },
});

// Version

class VersionState extends Ordered {
  /** Two to four of them. */
  constructor(readonly parts: readonly number[]) {
    super();
  }

  override compareTo(other: unknown): number | undefined {
    if (!(other instanceof VersionState)) {
      return undefined;
    }
    // A part that is not there is less than 0.
    const part = (state: VersionState, index: number) => state.parts[index] ?? -1;
    const differences = [0, 1, 2, 3].map((index) => part(this, index) - part(other, index));
    return differences.find((each) => each !== 0) ?? 0;
  }
}

type Version = NetObject<VersionState>;

export function version(text: string): Version {
  const parts = text.split(".");
  if (parts.length < 2 || parts.length > 4) {
    throw badArgument("Version string portion was too short or too long.", "version");
  }
  if (parts.some((part) => !/^\s*\d+\s*$/.test(part))) {
    throw badFormat();
  }
  return new NetObject(versionType, new VersionState(parts.map(Number)));
}

const versionType: NetType = types.define({
  name: "System.Version",
  aliases: ["version"],
  interfaces: ["System.IComparable"],
  properties: {
    Major: ({ state: { parts } }: Version) => parts[0] ?? -1,
    Minor: ({ state: { parts } }: Version) => parts[1] ?? -1,
    Build: ({ state: { parts } }: Version) => parts[2] ?? -1,
    Revision: ({ state: { parts } }: Version) => parts[3] ?? -1,
  },
  methods: {
    "ToString()": (self: Version) => self.state.parts.join("."),
    "ToString(int)": (self: Version, count: number) => {
      if (count < 0 || count > self.state.parts.length) {
        throw badArgument("Argument must be between 0 and the number of parts.", "fieldCount");
      }
      return self.state.parts.slice(0, count).join(".");
    },
  },
  staticMethods: { "Parse(string)": (_: null, text: string) => version(text) },
  constructors: { "(string)": (_: null, text: string) => version(text) },
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
      ? Number(this.digits > other.digits) - Number(this.digits < other.digits)
      : undefined;
  }
}

type Guid = NetObject<GuidState>;

function guid(text: string): Guid {
  const digits = text.trim().replace(/^\{(.*)\}$|^\((.*)\)$/, "$1$2");
  if (!/^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(digits)) {
    throw badFormat(
      "Guid should contain 32 digits with 4 dashes (xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx).",
    );
  }
  return new NetObject(guidType, new GuidState(digits.replaceAll("-", "").toLowerCase()));
}

function guidText({ state: { digits } }: Guid, format = "D"): string {
  const dashed = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  const forms: Readonly<Record<string, string>> = {
    N: digits,
    D: dashed,
    B: `{${dashed}}`,
    P: `(${dashed})`,
  };
  const text = forms[format.toUpperCase()];
  if (text === undefined) {
    throw badFormat(
      'Format String can be only "D", "d", "N", "n", "P", "p", "B", "b", "X" or "x".',
    );
  }
  return text;
}

const guidType: NetType = types.define({
  name: "System.Guid",
  aliases: ["guid"],
  isValueType: true,
  interfaces: ["System.IComparable"],
  methods: {
    "ToString()": (self: Guid) => guidText(self),
    "ToString(string)": guidText,
  },
  staticProperties: { Empty: () => guid("0".repeat(32)) },
  staticMethods: {
    "NewGuid()": () => guid(randomUUID()),
    "Parse(string)": (_: null, text: string) => guid(text),
  },
  constructors: { "(string)": (_: null, text: string) => guid(text) },
});
