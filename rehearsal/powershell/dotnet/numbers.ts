/** Members of Object, arrays, hashtables, cultures, Math, Convert, Version and Guid. */
import { randomUUID } from "node:crypto";
import {
  isNumeric,
  numberIn,
  plainNumber,
  roundHalfEven,
  toNumber,
  toText,
  tryConvert,
} from "../convert.ts";
import * as is from "../types.ts";
import { typeOf, types } from "../types.ts";
import { Char, dictionaryType, isNull, NetObject, Num, Unsupported } from "../values.ts";
import type { Hashtable, NetType, PsArray, Value } from "../values.ts";
import { toBuffer } from "./encoding.ts";
import { badArgument, badFormat } from "./exceptions.ts";

type Numeric = number | bigint | Num;

types.extend("System.Object", {
  methods: {
    "ToString()"(self: Exclude<Value, null>) {
      // Its class may derive from the type that scripts name, and have a text of its own.
      const type = typeOf(self);
      const isSure = [is.hashtable, is.orderedDictionary].includes(type) || type.element;
      if (!isSure) throw new Unsupported(`[${type.name}] in a text`);
      return type.name;
    },
  },
});
for (const type of [
  "ValueType",
  "Boolean",
  "Char",
  "String",
  "Management.Automation.SwitchParameter",
]) {
  types.extend(`System.${type}`, { methods: { "ToString()": toText } });
}
types.extend("System.Array", {
  properties: {
    Length: (self: PsArray) => self.items.length,
    Count: (self: PsArray) => self.items.length,
  },
});

type Part = NetObject<{ readonly table: Hashtable; readonly part: "key" | "value" }>;
const partOf = ({ state: { table, part } }: Part) => table.entries().map((entry) => entry[part]);

/** The keys or the values of a table, as they are whenever they are asked for. */
const keyCollection = types.define({
  name: "System.Collections.Hashtable+KeyCollection",
  enumerate(self: Part) {
    self.state.table.refuseOrder();
    return partOf(self);
  },
  bag: partOf,
  changes: ({ state: { table } }: Part) => table.changes,
  properties: { Count: (self: Part) => partOf(self).length },
});

const orderedCollection = types.define({
  name: "System.Collections.Specialized.OrderedDictionary+OrderedDictionaryKeyValueCollection",
  enumerate: partOf,
  changes: ({ state: { table } }: Part) => table.changes,
  truth: () => {
    // A list in 7, whose elements decide; not in 5.1.
    throw new Unsupported("the truth of the keys or values of an [ordered] table");
  },
  properties: { Count: (self: Part) => partOf(self).length },
});

for (const type of [is.hashtable, is.orderedDictionary, is.boundParameters]) {
  const collection = type === is.orderedDictionary ? orderedCollection : keyCollection;
  types.extend(type, {
    properties: {
      Count: (self: Hashtable) => self.size,
      Keys: (table: Hashtable) => new NetObject(collection, { table, part: "key" }),
      Values: (table: Hashtable) => new NetObject(collection, { table, part: "value" }),
    },
  });
}
types.extend(dictionaryType, {
  properties: {
    Count: (self: Hashtable) => {
      // PowerShell may have put something of its own into an exception's data.
      if (self.size === 0) throw new Unsupported("whether an exception has data");
      return self.size;
    },
  },
});
for (const type of [is.hashtable, is.orderedDictionary, is.boundParameters, dictionaryType]) {
  types.extend(type, {
    methods: { "Contains(object)": (self: Hashtable, key: Value) => self.has(key) },
  });
}
for (const type of [is.hashtable, is.boundParameters]) {
  types.extend(type, {
    methods: { "ContainsKey(object)": (self: Hashtable, key: Value) => self.has(key) },
  });
}

types.define({ name: "System.IFormatProvider" });
types.extend("System.Int32", {
  methods: {
    "ToString(string)": (self: number, format: string) => {
      if (format !== "x4" || self < 0) {
        throw new Unsupported(`the format ${format} of ${String(self)}`);
      }
      return self.toString(16).padStart(4, "0");
    },
  },
});
const cultureInfo = types.define({
  name: "System.Globalization.CultureInfo",
  interfaces: ["System.IFormatProvider"],
  staticProperties: { InvariantCulture: () => invariantCulture },
});
const invariantCulture = new NetObject(cultureInfo, undefined);

/** A double rounded. .NET makes a decimal of a whole number. */
function rounded(value: Value, round: (value: number) => number): Num {
  if (value instanceof Num && value.type === is.double) return is.toDouble(round(value.value));
  if (!isNumeric(value)) throw new Unsupported("[Math] for what is not a number");
  return new Num(is.decimal, plainNumber(value));
}

/** The least number of a type has no positive one. */
function negated(value: number | bigint, type: NetType): Value {
  const made = toNumber(-value, type);
  if (made === undefined) throw new Unsupported("[Math]::Abs of the least number");
  return made;
}

const math = types.define({
  name: "System.Math",
  staticMethods: {
    "Abs(int)": (value: number) => (value < 0 ? negated(value, is.int) : value),
    "Abs(double)": ({ value }: Num) => is.toDouble(Math.abs(value)),
    "Abs(long)": (value: bigint) => (value < 0n ? negated(value, is.long) : value),
    "Floor(object)": (value: Value) => rounded(value, Math.floor),
    // It also takes how to round, so a truth value suits neither.
    "Round(object, object)": (value: Value, places: Value) => {
      const digits = isNumeric(places) || typeof places === "string" ? numberIn(places) : undefined;
      const isInLimits =
        Number.isInteger(Number(digits)) && Number(digits) >= 0 && Number(digits) <= 15;
      if (digits === undefined || !isInLimits) {
        throw new Unsupported("[Math]::Round to what is no number of digits");
      }
      const factor = 10 ** Number(digits);
      return rounded(value, (number) => roundHalfEven(number * factor) / factor);
    },
  },
});
for (const { name } of [is.int, is.long, is.double]) {
  types.extend(math, {
    staticMethods: {
      [`Max(${name}, ${name})`]: (first: Numeric, second: Numeric) =>
        plainNumber(first) >= plainNumber(second) ? first : second,
      [`Min(${name}, ${name})`]: (first: Numeric, second: Numeric) =>
        plainNumber(first) <= plainNumber(second) ? first : second,
    },
  });
}

// Convert

function fromBase64(text: string): PsArray {
  const digits = text.replace(/[ \t\r\n]/g, "");
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) {
    throw badFormat(
      "The input is not a valid Base-64 string as it contains a non-base 64 character, " +
        "more than two padding characters, or an illegal character among the padding characters.",
    );
  }
  return is.bytes(Buffer.from(digits, "base64"));
}

function toBase64(data: PsArray, start = 0, length?: number): string {
  const bytes = toBuffer(data);
  const end = length === undefined ? bytes.length : start + length;
  if (start < 0 || end < start || end > bytes.length) {
    throw badArgument("Offset and length must refer to a position in the string.", "offset");
  }
  return bytes.subarray(start, end).toString("base64");
}

types.define({
  name: "System.Convert",
  staticMethods: {
    "ToBase64String(byte[])": toBase64,
    "ToBase64String(byte[], int, int)": toBase64,
    "FromBase64String(string)": fromBase64,
    "ToString(object, int)": (given: Value, base: number) => {
      // It also takes characters and truth values, for which there is no base.
      const isOther = given instanceof Char || typeof given === "boolean" || isNull(given);
      const number = isOther ? undefined : tryConvert(given, is.byte);
      if (number === undefined) throw new Unsupported("a base for what is no number");
      const { value } = number as Num;
      if (base !== 2) throw new Unsupported(`numbers to the base ${String(base)}`);
      return value.toString(2);
    },
  },
});

// Versions and GUIDs

type Version = NetObject<readonly number[]>;

export function version(text: string): Version {
  const written = text.split(".");
  if (written.length < 2 || written.length > 4) {
    throw badArgument("Version string portion was too short or too long.", "version");
  }
  if (written.some((part) => !/^\s*[-+]?\d+\s*$/.test(part))) throw badFormat();
  const parts = written.map(Number);
  if (/[-+]/.test(text) || parts.some((part) => part >= 2 ** 31)) {
    throw new Unsupported(`the version ${text}`);
  }
  return new NetObject(versionType, parts);
}

const versionType: NetType = types.define({
  name: "System.Version",
  aliases: ["version"],
  compare: ({ state: left }: Version, { state: right }: Version) => {
    // A missing part is less than 0.
    const orders = [0, 1, 2, 3].map((at) => (left[at] ?? -1) - (right[at] ?? -1));
    return orders.find((order) => order !== 0) ?? 0;
  },
  properties: { Build: ({ state }: Version) => state[2] ?? -1 },
  methods: { "ToString()": ({ state }: Version) => state.join(".") },
  staticMethods: { "Parse(string)": (text: string) => version(text) },
});

const guid: NetType = types.define({
  name: "System.Guid",
  isValueType: true,
  methods: {
    "ToString()": ({ state }: NetObject<string>) => state,
    "ToString(string)": ({ state }: NetObject<string>, format: string) => {
      if (format !== "N") throw new Unsupported(`the format ${format} of GUIDs`);
      return state.replaceAll("-", "");
    },
  },
  staticMethods: {
    "NewGuid()": () => new NetObject(guid, randomUUID()),
    "Parse(string)": (text: string) => {
      if (!/[\da-f]{8}/i.test(text)) throw badFormat("Unrecognized Guid format.");
      throw new Unsupported("a GUID out of a text");
    },
  },
});
