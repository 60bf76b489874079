/** ConvertTo-Json and ConvertFrom-Json. */
import { cmdlets, type Call } from "../commands.ts";
import { enumerated, toText } from "../convert.ts";
import { newLine } from "../dotnet/encoding.ts";
import * as is from "../types.ts";
import { raised } from "../types.ts";
import {
  Char,
  CustomObject,
  EnumValue,
  Hashtable,
  isNull,
  nothing,
  Num,
  Unsupported,
  unknownWords,
  type Instance,
  type Value,
} from "../values.ts";

interface Style {
  /** Objects nested deeper are written as text. */
  readonly depth: number;
  /** Line separator. Undefined: everything on one line. */
  readonly end: string | undefined;
}

function write(value: Value, style: Style, depth = 0, column = 0): string {
  const text = scalar(value);
  if (text !== undefined) return text;
  const pairs = pairsOf(value);
  const items = pairs ?? enumerated(value)?.map((each) => [undefined, each] as const);
  if (!items) throw new Unsupported(`[${is.typeOf(value as Instance).name}] as JSON`);
  if (depth > style.depth) return quoted(toText(value));
  const { end } = style;
  const [open, close] = pairs ? ["{", "}"] : ["[", "]"];
  // 5.1 indents the members of a value relative to the column in which the value begins.
  const inner = column + 4;
  const parts = items.map(([name, each]) => {
    const start = name === undefined ? "" : `${quoted(name)}:${end === undefined ? "" : "  "}`;
    return start + write(each, style, depth + 1, inner + start.length);
  });
  if (end === undefined) return open + parts.join(",") + close;
  const body = parts.map((part) => " ".repeat(inner) + part).join(`,${end}`);
  return open + end + body + end + " ".repeat(column) + close;
}

/** Undefined for objects and lists. */
function scalar(value: Value): string | undefined {
  if (typeof value === "string" || value instanceof Char) return quoted(toText(value));
  if (value === null || typeof value !== "object") return String(value);
  // 5.1 writes an object, 7 null.
  if (value === nothing) throw new Unsupported("the result of a command without output as JSON");
  if (value instanceof EnumValue) return String(value.number);
  if (!(value instanceof Num)) return undefined;
  const text = String(value.value);
  if (/[eN]|\d{16}/.test(text) || Object.is(value.value, -0))
    throw new Unsupported(`the [${value.type.name}] ${text} as JSON`);
  return text;
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\x85\u2028\u2029'<>&]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function pairsOf(value: Value): (readonly [name: string, value: Value])[] | undefined {
  if (value instanceof Hashtable) {
    return value.entries().map(({ key, value }) => {
      if (typeof key !== "string") throw new Unsupported("a key that is no text as JSON");
      return [key, value];
    });
  }
  if (value instanceof CustomObject) {
    return [...value.properties.values()].map((each) => [each.name, each.value]);
  }
  return undefined;
}

/** Parses JSON. Numbers are marked as strings first, because JSON.parse would lose the precision of an Int64. */
export function readJson(text: string): Value {
  if (text.trim() === "") return null;
  try {
    JSON.parse(text);
  } catch {
    if (/'|[{,]\s*[a-z_$][\w$]*\s*:|,\s*[}\]]|\/[/*]/i.test(text)) {
      throw new Unsupported("what is almost JSON: 5.1 reads some of it");
    }
    // The message differs from PowerShell's.
    const id = "System.ArgumentException";
    throw raised(id, `Invalid JSON.${unknownWords}`, { id });
  }
  const marked = text.replace(
    /("(?:[^"\\]|\\.)*")|-?\d[\d.eE+-]*/g,
    (token, quoted?: string) => quoted ?? `"\\u0000${token}"`,
  );
  return JSON.parse(marked, (_, value: string | boolean | null | Value[] | Properties) => {
    if (typeof value === "string") {
      return value.startsWith("\0") ? toNumber(value.slice(1)) : notDate(value);
    }
    if (value === null || typeof value !== "object") return value;
    return Array.isArray(value) ? is.array(value) : toObject(value);
  }) as Value;
}

/** 5.1 converts strings in its own date format, `/Date(...)/`, to dates. */
function notDate(text: string): string {
  if (text.startsWith("/Date(")) throw new Unsupported(`the date ${text} out of JSON`);
  return text;
}

type Properties = Readonly<Record<string, Value>>;

function toObject(properties: Properties): CustomObject {
  const object = new CustomObject(is.customObject);
  for (const [name, value] of Object.entries(properties)) {
    // JavaScript moves numeric names to the front.
    if (/^\d*$/.test(name) || object.get(name) !== undefined) {
      throw new Unsupported(`the name "${name}" in JSON: it is empty, a number, or there twice`);
    }
    object.set(name, value);
  }
  return object;
}

function toNumber(text: string): Value {
  if (!/^-?\d{1,18}$/.test(text)) throw new Unsupported(`the number ${text} out of JSON`);
  const whole = BigInt(text);
  return BigInt.asIntN(32, whole) === whole ? Number(text) : whole;
}

const onAll = (run: (call: Call, inputs: readonly Value[]) => Value) => ({
  open(call: Call) {
    const inputs: Value[] = [];
    return {
      process: () => void inputs.push(call.get("InputObject") ?? null),
      end: () => (inputs.length > 0 ? call.emit(run(call, inputs)) : undefined),
    };
  },
});

export const jsonCmdlets = cmdlets(
  {
    "ConvertTo-Json [-InputObject] <object?> [-Depth <int>] [-Compress]": onAll(
      (call, [first = null, ...others]) => {
        const end = call.flag("Compress") ? undefined : newLine(call.shell.host);
        const value = others.length === 0 ? first : is.array([first, ...others]);
        const depth = call.number("Depth") ?? 2;
        if (depth < 0 || depth > 100) throw new Unsupported(`ConvertTo-Json -Depth ${depth}`);
        return write(value, { depth, end });
      },
    ),
    // 5.1 outputs an array as one object.
    "ConvertFrom-Json [-InputObject] <object?>": onAll((_, [text = null, ...others]) => {
      if (others.length > 0) throw new Unsupported("ConvertFrom-Json of several texts");
      if (isNull(text)) throw new Unsupported("ConvertFrom-Json of null");
      return readJson(toText(text));
    }),
  },
  "Microsoft.PowerShell.Commands",
);
