/** ConvertTo-Json and ConvertFrom-Json. */
import type { Call, Cmdlet, Shell } from "../commands.ts";
import { enumerated, toText } from "../convert.ts";
import { newLine } from "../dotnet/system.ts";
import { fromDateTime, toDateTime } from "../dotnet/time.ts";
import type { Edition } from "../edition.ts";
import * as is from "../types.ts";
import { raised } from "../types.ts";
import {
  Char,
  CustomObject,
  EnumValue,
  Hashtable,
  nothing,
  Num,
  Unsupported,
  type Instance,
  type Value,
} from "../values.ts";

/** How JSON is written. */
interface Style {
  readonly shell: Shell;
  readonly edition: Edition;
  /** What lies deeper is a text. */
  readonly depth: number;
  /** Between lines; undefined: all is in one. */
  readonly end: string | undefined;
}

function write(value: Value, style: Style, depth = 0, column = 0): string {
  const { edition, end, shell } = style;
  const text = scalar(value, style);
  if (text !== undefined) {
    return text;
  }
  const pairs = pairsOf(value);
  const items = pairs ?? enumerated(value)?.map((each) => [undefined, each] as const);
  if (!items) {
    throw new Unsupported(`[${is.typeOf(value as Instance).name}] as JSON`);
  }
  if (depth > style.depth) {
    return quoted(shell.text(value), edition);
  }
  const [open, close] = pairs ? ["{", "}"] : ["[", "]"];
  // What belongs to a name stands further in than the name's value begins in 5.1, than the name in PowerShell 7.
  const isHanging = edition === "Desktop";
  const inner = column + (isHanging ? 4 : 2);
  const blanks = end === undefined ? "" : isHanging ? "  " : " ";
  const parts = items.map(([name, each]) => {
    const start = name === undefined ? "" : `${quoted(name, edition)}:${blanks}`;
    return start + write(each, style, depth + 1, isHanging ? inner + start.length : inner);
  });
  if (end === undefined || (parts.length === 0 && !isHanging)) {
    return open + parts.join(",") + close;
  }
  const body = parts.map((part) => " ".repeat(inner) + part).join(`,${end}`);
  return open + end + body + end + " ".repeat(column) + close;
}

/** Undefined: it is an object or a list. */
function scalar(value: Value, { edition, shell }: Style): string | undefined {
  if (typeof value === "string" || value instanceof Char) {
    return quoted(toText(value), edition);
  }
  if (value === null || typeof value !== "object") {
    return String(value);
  }
  if (value instanceof EnumValue) {
    return String(value.number);
  }
  if (value.type.name === "System.DateTime" && edition === "Core") {
    const moment = new Date(fromDateTime(value, shell.host.clock)).toISOString();
    return quoted(moment.replace(/\.?0*Z$/, "Z"), edition);
  }
  if (!(value instanceof Num)) {
    return value === nothing && edition === "Core" ? "null" : undefined;
  }
  const text = String(value.value);
  if (value.type === is.single || /[eN]/.test(text)) {
    throw new Unsupported(`the [${value.type.name}] ${text} as JSON`);
  }
  const isWhole = value.type === is.double && !text.includes(".");
  return isWhole && edition === "Core" ? `${text}.0` : text;
}

function quoted(text: string, edition: Edition): string {
  const escaped = edition === "Desktop" ? /[\x85\u2028\u2029'<>&]/g : /[\x85\u2028\u2029]/g;
  return JSON.stringify(text).replace(
    escaped,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function pairsOf(value: Value): (readonly [name: string, value: Value])[] | undefined {
  if (value instanceof Hashtable) {
    return value.entries().map((each) => [toText(each.key), each.value]);
  }
  if (value instanceof CustomObject) {
    return [...value.properties.values()].map((each) => [each.name, each.value]);
  }
  // What a command did not return is an object without properties to 5.1.
  return value === nothing ? [] : undefined;
}

/** The value of a JSON text. Numbers are kept as they are written until their type is known. */
function read(text: string, edition: Edition, shell: Shell): Value {
  if (text.trim() === "") {
    return null;
  }
  try {
    JSON.parse(text);
  } catch {
    // PowerShell says so in words of its own.
    throw raised("System.ArgumentException", "Invalid JSON.", {
      id: "System.ArgumentException",
    });
  }
  const marked = text.replace(
    /("(?:[^"\\]|\\.)*")|-?\d[\d.eE+-]*/g,
    (token, quoted?: string) => quoted ?? `"\\u0000${token}"`,
  );
  return JSON.parse(marked, (_, value: string | boolean | null | Value[] | Properties) => {
    if (typeof value === "string") {
      const isNumber = value.startsWith("\0");
      return isNumber ? toNumber(value.slice(1), edition) : toMoment(value, edition, shell);
    }
    if (value === null || typeof value !== "object") {
      return value;
    }
    return Array.isArray(value) ? is.array(value) : toObject(value);
  }) as Value;
}

/** PowerShell 7 makes dates of texts that look like one, 5.1 of those it writes itself. */
function toMoment(text: string, edition: Edition, { host, types }: Shell): Value {
  if (!(edition === "Core" ? /^\d{4}-\d\d-\d\dT/ : /^\/Date\(/).test(text)) {
    return text;
  }
  if (!/^[-\d]+T[\d:]+Z$/.test(text)) {
    throw new Unsupported(`the date ${text} out of JSON`);
  }
  return toDateTime(types, host, Date.parse(text), true);
}

type Properties = Readonly<Record<string, Value>>;

function toObject(properties: Properties): CustomObject {
  const object = new CustomObject(is.customObject);
  for (const [name, value] of Object.entries(properties)) {
    // JavaScript puts names of digits before the others.
    if (/^\d*$/.test(name) || object.get(name) !== undefined) {
      throw new Unsupported(`the name "${name}" in JSON: it is empty, a number, or there twice`);
    }
    object.set(name, value);
  }
  return object;
}

/** 5.1 has an Int32 or Decimal where PowerShell 7 has an Int64 or Double. */
function toNumber(text: string, edition: Edition): Value {
  const isWhole = /^-?\d+$/.test(text);
  if (text.replace(/\D/g, "").length > (isWhole ? 18 : 15)) {
    throw new Unsupported(`the number ${text} out of JSON: it has too many digits`);
  }
  if (!isWhole) {
    const isDecimal = edition === "Desktop" && !/e/i.test(text);
    return new Num(isDecimal ? is.decimal : is.double, Number(text));
  }
  const whole = BigInt(text);
  return edition === "Desktop" && BigInt.asIntN(32, whole) === whole ? Number(text) : whole;
}

/** A cmdlet that does something with all its inputs at once. */
function onAll(
  name: string,
  parameters: Cmdlet["parameters"],
  run: (call: Call, inputs: readonly Value[]) => Promise<void>,
): Cmdlet {
  const implementation = `Microsoft.PowerShell.Commands.${name.replace("-", "")}Command`;
  const input = { position: 0, mandatory: true, allowEmpty: true, pipeline: "value" } as const;
  return {
    name,
    implementation,
    parameters: { InputObject: { ...input, type: "object" }, ...parameters },
    open(call) {
      const inputs: Value[] = [];
      return {
        process: () => void inputs.push(call.get("InputObject") ?? null),
        end: () => run(call, inputs),
      };
    },
  };
}

export function jsonCmdlets(edition: Edition = "Desktop"): readonly Cmdlet[] {
  const parameters = { Depth: { type: "int" }, Compress: { type: "switch" } };
  const toJson = async (call: Call, inputs: readonly Value[]): Promise<void> => {
    const { shell } = call;
    const end = call.flag("Compress") ? undefined : newLine(shell.host);
    const style = { shell, edition, depth: call.number("Depth") ?? 2, end };
    const [first] = inputs;
    if (first !== undefined) {
      await call.emit(write(inputs.length === 1 ? first : is.array([...inputs]), style));
    }
  };
  const fromJson = async (call: Call, inputs: readonly Value[]): Promise<void> => {
    if (inputs.length > 1) {
      throw new Unsupported("ConvertFrom-Json of several texts");
    }
    for (const text of inputs) {
      const value = read(toText(text), edition, call.shell);
      // 5.1 hands an array on whole.
      for (const item of (edition === "Core" && enumerated(value)) || [value]) {
        await call.emit(item);
      }
    }
  };
  return [onAll("ConvertTo-Json", parameters, toJson), onAll("ConvertFrom-Json", {}, fromJson)];
}
