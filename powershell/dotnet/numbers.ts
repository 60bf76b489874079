/** What all objects have, types as objects, cultures, Math, Convert, versions and GUIDs. */
import { randomUUID } from "node:crypto";
import { plainNumber, roundHalfEven, toNumber, toText } from "../convert.ts";
import * as is from "../types.ts";
import { typeOf, types } from "../types.ts";
import { NetObject, Num, Unsupported, type NetType, type PsArray, type Value } from "../values.ts";
import { toBuffer } from "./encoding.ts";
import { badArgument, badFormat, missingArgument } from "./exceptions.ts";

type Numeric = number | bigint | Num;

/** The state of objects that are equal by what they hold. */
export abstract class Ordered {
  /** Less than, equal or greater than 0; undefined: nothing to compare with. */
  abstract compareTo(other: unknown): number | undefined;
}

/** An argument that must not be null. */
export function given<T>(value: T | null, parameter: string): T {
  if (value === null) {
    throw missingArgument(parameter);
  }
  return value;
}

types.extend("System.Object", {
  methods: {
    "GetType()": (self: Exclude<Value, null>) => typeOf(self),
    "ToString()": (self: Exclude<Value, null>) => typeOf(self).name,
  },
});
for (const type of ["ValueType", "Boolean", "Char", "String"]) {
  types.extend(`System.${type}`, { methods: { "ToString()": toText } });
}
for (const name of ["IDisposable", "IFormatProvider", "IComparable", "Type"]) {
  types.define({ name: `System.${name}` });
}

const runtimeType = is.int.type;
types.register(runtimeType, "System.RuntimeType");
types.extend(runtimeType, {
  interfaces: ["System.Type"],
  properties: { Name: (self: NetType) => self.shortName, FullName: (self: NetType) => self.name },
  methods: { "ToString()": (self: NetType) => self.name },
});

const cultureInfo = types.define({
  name: "System.Globalization.CultureInfo",
  interfaces: ["System.IFormatProvider"],
  staticProperties: { InvariantCulture: () => new NetObject(cultureInfo, undefined) },
});

// Math

const math = types.define({ name: "System.Math" });
for (const type of [is.double, is.decimal]) {
  const by = (calculate: (value: number) => number) => (_: null, value: Num) =>
    new Num(type, calculate(value.value));
  types.extend(math, {
    staticMethods: {
      [`Floor(${type.name})`]: by(Math.floor),
      [`Ceiling(${type.name})`]: by(Math.ceil),
      [`Round(${type.name})`]: by(roundHalfEven),
      [`Round(${type.name}, int)`]: (_: null, value: Num, digits: number) =>
        new Num(type, roundHalfEven(value.value * 10 ** digits) / 10 ** digits),
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
        return toNumber(plain < 0 ? -plain : plain, type) ?? new Num(is.double, -Number(plain));
      },
    },
  });
}

// Convert and BitConverter

function fromBase64(_: null, text: string | null): PsArray {
  const digits = given(text, "s").replace(/[ \t\r\n]/g, "");
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) {
    throw badFormat("The input is not a valid Base-64 string.");
  }
  return is.bytes(Buffer.from(digits, "base64"));
}

function toBase64(_: null, data: PsArray | null, start = 0, length?: number): string {
  const bytes = toBuffer(given(data, "inArray"));
  const end = length === undefined ? bytes.length : start + length;
  if (start < 0 || end < start || end > bytes.length) {
    throw badArgument("Offset and length must refer to a position in the string.", "offset");
  }
  return bytes.subarray(start, end).toString("base64");
}

/** Digits of the bits of a number. */
const digitsOf = (bits: number) => (_: null, value: Numeric, base: number) => {
  if (![2, 8, 16].includes(base)) {
    throw new Unsupported(`numbers to the base ${String(base)}`);
  }
  return BigInt.asUintN(bits, BigInt(value instanceof Num ? value.value : value)).toString(base);
};

types.define({
  name: "System.Convert",
  staticMethods: {
    "ToBase64String(byte[])": toBase64,
    "ToBase64String(byte[], int, int)": toBase64,
    "FromBase64String(string)": fromBase64,
    "ToString(byte, int)": digitsOf(8),
    "ToString(int, int)": digitsOf(32),
    "ToString(long, int)": digitsOf(64),
  },
});
types.define({
  name: "System.BitConverter",
  staticMethods: {
    "ToString(byte[])": (_: null, data: PsArray | null) => {
      const digits = toBuffer(given(data, "value")).toString("hex").toUpperCase();
      return digits.replace(/..(?=.)/g, "$&-");
    },
  },
});

// Versions and GUIDs

/** The state of versions and GUIDs. */
class Parts extends Ordered {
  constructor(readonly parts: readonly (number | string)[]) {
    super();
  }

  override compareTo(other: unknown): number | undefined {
    if (!(other instanceof Parts)) {
      return undefined;
    }
    const at = [0, 1, 2, 3].find((each) => this.parts[each] !== other.parts[each]) ?? 0;
    // A part that is not there is less than 0.
    const [left, right] = [this.parts[at] ?? -1, other.parts[at] ?? -1];
    return Number(left > right) - Number(left < right);
  }
}

type Version = NetObject<Parts>;

export function version(text: string): Version {
  if (!/^\d+(?:\.\d+){1,3}$/.test(text)) {
    throw badArgument("Version string portion was too short or too long.", "version");
  }
  return new NetObject(versionType, new Parts(text.split(".").map(Number)));
}

const versionType: NetType = types.define({
  name: "System.Version",
  aliases: ["version"],
  interfaces: ["System.IComparable"],
  properties: Object.fromEntries(
    ["Major", "Minor", "Build", "Revision"].map((name, index) => [
      name,
      ({ state: { parts } }: Version) => parts[index] ?? -1,
    ]),
  ),
  methods: { "ToString()": (self: Version) => self.state.parts.join(".") },
  staticMethods: { "Parse(string)": (_: null, text: string) => version(text) },
});

// GUIDs

const guid = (text: string) => new NetObject(guidType, new Parts([text.toLowerCase()]));
const guidText = ({ state: { parts } }: NetObject<Parts>) => String(parts[0]);

const guidType: NetType = types.define({
  name: "System.Guid",
  methods: {
    "ToString()": guidText,
    "ToString(string)": (self: NetObject<Parts>, format: string) => {
      if (format !== "N") {
        throw new Unsupported(`the format ${format} of GUIDs`);
      }
      return guidText(self).replaceAll("-", "");
    },
  },
  staticMethods: {
    "NewGuid()": () => guid(randomUUID()),
    "Parse(string)": (_: null, text: string) => {
      if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) {
        throw new Unsupported(`the GUID ${text}`);
      }
      return guid(text);
    },
  },
});
