/** ConvertTo-Json and ConvertFrom-Json. */
import type { Cmdlet, ParameterDefinition, Shell } from "../commands.ts";
import { enumerated } from "../convert.ts";
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
  type Value,
} from "../values.ts";

/** How JSON is laid out. */
interface Layout {
  /** Between lines; undefined: all is in one line. */
  readonly end: string | undefined;
  /** How much further in the lines of an object or list stand. */
  readonly indent: number;
  readonly afterColon: string;
  /** What belongs to a name stands in from where it begins, not from where the name does. */
  readonly isHanging: boolean;
}

const oneLine: Layout = { end: undefined, indent: 0, afterColon: "", isHanging: false };

class Writer {
  constructor(
    readonly shell: Shell,
    readonly edition: Edition,
    /** What lies deeper is a text. */
    readonly depth: number,
    readonly layout: Layout,
  ) {}

  write(value: Value, depth = 0, column = 0): string {
    const scalar = this.#scalar(value);
    if (scalar !== undefined) {
      return scalar;
    }
    const pairs = pairsOf(value);
    const items = pairs ? undefined : enumerated(value);
    if (!pairs && !items) {
      throw new Unsupported(`[${is.typeOf(value as Exclude<Value, null>).name}] as JSON`);
    }
    if (depth > this.depth) {
      return this.#quoted(this.shell.text(value));
    }
    const { afterColon, indent, isHanging } = this.layout;
    const inner = column + indent;
    if (!pairs) {
      const parts = (items ?? []).map((each) => this.write(each, depth + 1, inner));
      return this.#enclosed("[", parts, "]", column);
    }
    const parts = pairs.map(([name, each]) => {
      const start = `${this.#quoted(name)}:${afterColon}`;
      return start + this.write(each, depth + 1, isHanging ? inner + start.length : inner);
    });
    return this.#enclosed("{", parts, "}", column);
  }

  #enclosed(open: string, parts: readonly string[], close: string, column: number): string {
    const { end, indent, isHanging } = this.layout;
    if (end === undefined || (parts.length === 0 && !isHanging)) {
      return open + parts.join(",") + close;
    }
    const body = parts.map((part) => " ".repeat(column + indent) + part).join(`,${end}`);
    return open + end + body + end + " ".repeat(column) + close;
  }

  /** Undefined: it is an object or a list. */
  #scalar(value: Value): string | undefined {
    if (value === null || (value === nothing && this.edition === "Core")) {
      return "null";
    }
    if (typeof value === "string" || value instanceof Char) {
      return this.#quoted(typeof value === "string" ? value : value.text);
    }
    if (typeof value !== "object") {
      return String(value);
    }
    if (value instanceof EnumValue) {
      return String(value.number);
    }
    if (value.type.name === "System.DateTime") {
      const milliseconds = fromDateTime(value, this.shell.host.clock);
      return this.edition === "Desktop"
        ? `"\\/Date(${String(milliseconds)})\\/"`
        : this.#quoted(new Date(milliseconds).toISOString().replace(/\.?0*Z$/, "Z"));
    }
    return value instanceof Num ? this.#number(value) : undefined;
  }

  #number({ type, value }: Num): string {
    const text = String(value);
    if (type !== is.double && type !== is.single) {
      return text;
    }
    const size = Math.abs(value);
    if (type === is.single || !(size < 1e15) || (size > 0 && size < 1e-4)) {
      throw new Unsupported(`the [${type.name}] ${text} as JSON`);
    }
    return this.edition === "Core" && !text.includes(".") ? `${text}.0` : text;
  }

  #quoted(text: string): string {
    const escaped = this.edition === "Desktop" ? /[\x85\u2028\u2029'<>&]/g : /[\x85\u2028\u2029]/g;
    return JSON.stringify(text).replace(
      escaped,
      (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  }
}

function pairsOf(value: Value): (readonly [string, Value])[] | undefined {
  if (value instanceof Hashtable) {
    return value.entries().map(({ key, value: each }) => {
      if (typeof key !== "string") {
        throw new Unsupported("a table with a key that is no text as JSON");
      }
      return [key, each] as const;
    });
  }
  if (value instanceof CustomObject) {
    return [...value.properties.values()].map((each) => [each.name, each.value] as const);
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
  } catch (error) {
    // PowerShell says so in words of its own.
    throw raised("System.ArgumentException", `Invalid JSON: ${(error as Error).message}`, {
      id: "System.ArgumentException",
    });
  }
  const marked = text.replace(
    /("(?:[^"\\]|\\.)*")|-?\d[\d.eE+-]*/g,
    (token, quoted?: string) => quoted ?? `"\\u0000${token}"`,
  );
  return JSON.parse(marked, (_, value: string | boolean | null | Value[] | Properties) => {
    if (typeof value === "string") {
      return value.startsWith("\0") ? toNumber(value.slice(1), edition) : toMoment(value);
    }
    if (value === null || typeof value !== "object") {
      return value;
    }
    return Array.isArray(value) ? is.array(value) : toObject(value);
  }) as Value;

  /** PowerShell 7 makes dates of texts that look like one, 5.1 of those it writes itself. */
  function toMoment(value: string): Value {
    const isMoment = edition === "Core" ? /^\d{4}-\d\d-\d\dT/ : /^\/Date\(/;
    if (!isMoment.test(value)) {
      return value;
    }
    if (!/^[-\d]+T[\d:]+Z$/.test(value)) {
      throw new Unsupported(`the date ${value} out of JSON`);
    }
    return toDateTime(shell.types, shell.host, Date.parse(value), true);
  }
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
  if (/^-?\d+$/.test(text)) {
    const whole = BigInt(text);
    if (BigInt.asIntN(64, whole) !== whole) {
      throw new Unsupported(`the number ${text} out of JSON`);
    }
    return edition === "Desktop" && BigInt.asIntN(32, whole) === whole ? Number(text) : whole;
  }
  if (edition === "Core" || /e/i.test(text)) {
    return is.toDouble(Number(text));
  }
  if (text.replace(/^-?0*\.?0*|\D/g, "").length > 15) {
    throw new Unsupported(`the number ${text} out of JSON: it has too many digits`);
  }
  return new Num(is.decimal, Number(text));
}

const input: ParameterDefinition = {
  type: "object",
  position: 0,
  mandatory: true,
  allowEmpty: true,
  pipeline: "value",
};

export function jsonCmdlets(edition: Edition = "Desktop"): readonly Cmdlet[] {
  const toJson: Cmdlet = {
    name: "ConvertTo-Json",
    implementation: "Microsoft.PowerShell.Commands.ConvertToJsonCommand",
    parameters: { InputObject: input, Depth: { type: "int" }, Compress: { type: "switch" } },
    open(call) {
      const inputs: Value[] = [];
      return {
        process() {
          inputs.push(call.get("InputObject") ?? null);
        },
        async end() {
          const isDesktop = edition === "Desktop";
          const lines: Layout = {
            end: newLine(call.shell.host),
            indent: isDesktop ? 4 : 2,
            afterColon: isDesktop ? "  " : " ",
            isHanging: isDesktop,
          };
          const layout = call.flag("Compress") ? oneLine : lines;
          const writer = new Writer(call.shell, edition, call.number("Depth") ?? 2, layout);
          const [first] = inputs;
          if (first !== undefined) {
            await call.emit(writer.write(inputs.length === 1 ? first : is.array(inputs)));
          }
        },
      };
    },
  };
  const fromJson: Cmdlet = {
    name: "ConvertFrom-Json",
    implementation: "Microsoft.PowerShell.Commands.ConvertFromJsonCommand",
    parameters: { InputObject: { ...input, type: "string" } },
    open(call) {
      const inputs: string[] = [];
      return {
        process() {
          inputs.push(call.text("InputObject") ?? "");
        },
        async end() {
          const [text] = inputs;
          if (inputs.length > 1) {
            throw new Unsupported("ConvertFrom-Json of several texts");
          }
          const value = text === undefined ? nothing : read(text, edition, call.shell);
          // 5.1 hands an array on whole.
          for (const item of (edition === "Core" && enumerated(value)) || [value]) {
            await call.emit(item);
          }
        },
      };
    },
  };
  return [toJson, fromJson];
}
