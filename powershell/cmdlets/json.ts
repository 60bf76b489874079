/** ConvertTo-Json and ConvertFrom-Json. */
import type { Call, Cmdlet, Shell } from "../commands.ts";
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

/** What is written: text as it stands, a list, or an object. */
type Node = string | readonly Node[] | ReadonlyMap<string, Node>;

/** Takes values apart down to a depth; what lies deeper is a text. */
class Simplifier {
  constructor(
    readonly shell: Shell,
    readonly edition: Edition,
    readonly depth: number,
  ) {}

  node(value: Value, depth = 0): Node {
    if (value === nothing) {
      // To 5.1 it is an object without properties.
      return this.edition === "Desktop" ? new Map() : "null";
    }
    if (value === null) {
      return "null";
    }
    if (typeof value === "string") {
      return quoted(value, this.edition);
    }
    if (typeof value !== "object") {
      return String(value);
    }
    if (value instanceof Num) {
      return this.#number(value);
    }
    if (value instanceof Char) {
      return quoted(value.text, this.edition);
    }
    if (value instanceof EnumValue) {
      return String(value.number);
    }
    const pairs =
      value instanceof Hashtable
        ? value.entries().map(({ key, value: each }): [Value, Value] => [key, each])
        : value instanceof CustomObject
          ? [...value.properties.values()].map((each): [Value, Value] => [each.name, each.value])
          : undefined;
    const items = pairs ? undefined : enumerated(value);
    if (!pairs && !items && value.type.name === "System.DateTime") {
      return quoted(momentInJson(value, this.shell, this.edition), this.edition);
    }
    if (!pairs && !items) {
      throw new Unsupported(`[${value.type.name}] as JSON`);
    }
    if (depth > this.depth) {
      return quoted(this.shell.text(value), this.edition);
    }
    if (!pairs) {
      return (items ?? []).map((each) => this.node(each, depth + 1));
    }
    return new Map(
      pairs.map(([key, each]) => {
        if (typeof key !== "string") {
          throw new Unsupported("a table with a key that is no text as JSON");
        }
        return [quoted(key, this.edition), this.node(each, depth + 1)];
      }),
    );
  }

  #number({ type, value }: Num): string {
    if (type === is.single) {
      throw new Unsupported("[System.Single] as JSON");
    }
    if (type !== is.double) {
      return String(value);
    }
    if (!Number.isFinite(value)) {
      throw new Unsupported(`${String(value)} as JSON`);
    }
    const [digits = "", exponent = "0"] = value.toExponential().split("e");
    const power = Number(exponent);
    if (power >= 15 || power <= -5) {
      const sign = power < 0 ? "-" : "+";
      return `${digits}E${sign}${String(Math.abs(power)).padStart(2, "0")}`;
    }
    const text = String(value);
    return this.edition === "Core" && !text.includes(".") ? `${text}.0` : text;
  }
}

const short = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function quoted(text: string, edition: Edition): string {
  const escaped =
    edition === "Desktop" ? /["\\\0-\x1f\x85\u2028\u2029'<>&]/g : /["\\\0-\x1f\x85\u2028\u2029]/g;
  const written = text.replace(
    escaped,
    (each) => short.get(each) ?? `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `"${written}"`;
}

function compressed(node: Node): string {
  if (typeof node === "string") {
    return node;
  }
  return node instanceof Map
    ? `{${[...node].map(([name, each]) => `${name as string}:${compressed(each as Node)}`).join(",")}}`
    : `[${(node as readonly Node[]).map(compressed).join(",")}]`;
}

/**
 * In lines. What belongs to a name begins behind it in 5.1, so that everything in it stands further to the right; in
 * PowerShell 7 it is two blanks in.
 */
function pretty(node: Node, edition: Edition, end: string, column = 0): string {
  if (typeof node === "string") {
    return node;
  }
  const isMap = node instanceof Map;
  const [open, close] = isMap ? "{}" : "[]";
  const size = isMap ? node.size : (node as readonly Node[]).length;
  const desktop = edition === "Desktop";
  if (size === 0 && !desktop) {
    return `${String(open)}${String(close)}`;
  }
  const inner = column + (desktop ? 4 : 2);
  const lines = isMap
    ? [...(node as ReadonlyMap<string, Node>)].map(([name, each]) => {
        const start = `${name}:${desktop ? "  " : " "}`;
        return start + pretty(each, edition, end, desktop ? inner + start.length : inner);
      })
    : (node as readonly Node[]).map((each) => pretty(each, edition, end, inner));
  const body = lines.map((line) => " ".repeat(inner) + line).join(`,${end}`);
  return `${String(open)}${end}${body}${end}${" ".repeat(column)}${String(close)}`;
}

function invalid(message: string): Error {
  return raised("System.ArgumentException", message, { id: "System.ArgumentException" });
}

/** Reads JSON as 5.1's serializer does, but for what is no JSON and would be taken all the same. */
class Reader {
  #at = 0;

  constructor(
    readonly text: string,
    readonly edition: Edition,
    readonly shell: Shell,
  ) {}

  read(): Value {
    if (this.#next() === undefined) {
      return null;
    }
    const value = this.#value();
    if (this.#next() !== undefined) {
      throw invalid(`Invalid JSON primitive: ${this.text.slice(this.#at + 1)}.`);
    }
    return value;
  }

  /** The next character that is not white, which stays the next. */
  #next(): string | undefined {
    while (/\s/.test(this.text.charAt(this.#at))) {
      this.#at++;
    }
    return this.text[this.#at];
  }

  #invalid(message: string): Error {
    return invalid(`${message} (${String(this.#at)}): ${this.text}`);
  }

  #value(): Value {
    switch (this.#next() ?? "") {
      case "{":
        return this.#object();
      case "[":
        return this.#array();
      case '"':
        return this.#text();
      case "'":
        throw new Unsupported("JSON with a text in single quotes");
      default:
        return this.#primitive();
    }
  }

  #object(): Value {
    const object = new CustomObject(is.customObject);
    const bad = "Invalid object passed in, ':' or '}' expected.";
    this.#at++;
    for (let next = this.#next(); next !== "}"; next = this.#next()) {
      if (next !== undefined && /[\w$']/.test(next)) {
        throw new Unsupported("JSON with a name that is not in quotes");
      }
      const name = next === '"' ? this.#string() : undefined;
      if (name === undefined || this.#next() !== ":") {
        throw this.#invalid(bad);
      }
      const before = object.properties.get(name.toLowerCase())?.name;
      if (name === "" || (before !== undefined && before !== name)) {
        throw new Unsupported("JSON with an empty name, or with names that differ in case only");
      }
      this.#at++;
      object.set(name, this.#value());
      if (this.#next() === ",") {
        this.#at++;
      } else if (this.#next() !== "}") {
        throw this.#invalid(bad);
      }
    }
    this.#at++;
    return object;
  }

  #array(): Value {
    const items: Value[] = [];
    this.#at++;
    let next = this.#next();
    while (next !== "]") {
      if (next === undefined) {
        throw this.#invalid("Invalid array passed in, ']' expected.");
      }
      items.push(this.#value());
      next = this.#next();
      if (next === ",") {
        this.#at++;
        next = this.#next();
        if (next === undefined || next === "]") {
          throw this.#invalid("Invalid array passed in, extra trailing ','.");
        }
      } else if (next !== "]") {
        throw this.#invalid("Invalid array passed in, ',' expected.");
      }
    }
    this.#at++;
    return is.array(items);
  }

  #text(): Value {
    const text = this.#string();
    // PowerShell 7 makes dates of texts that look like one.
    if (this.edition === "Core" && /^\d{4}-\d\d-\d\dT/.test(text)) {
      if (!/^[\d-]+T[\d:]+Z$/.test(text)) {
        throw new Unsupported(`the date ${text} out of JSON`);
      }
      return toDateTime(this.shell.types, this.shell.host, Date.parse(text), true);
    }
    return text;
  }

  #string(): string {
    const start = this.#at;
    const text = /"((?:[^"\\]|\\[^])*)"/y;
    text.lastIndex = start;
    const [whole, inner = ""] = text.exec(this.text) ?? [];
    if (whole === undefined) {
      throw this.#invalid("Unterminated string passed in.");
    }
    this.#at += whole.length;
    if (/^\\\/Date\(-?\d+/.test(inner)) {
      throw new Unsupported("JSON with a date");
    }
    return inner.replace(/\\(?:u([0-9a-fA-F]{4})|([^]))/g, (_, code?: string, sign = "") => {
      if (code !== undefined) {
        return String.fromCharCode(Number.parseInt(code, 16));
      }
      const at = '"\\/bfnrt'.indexOf(sign as string);
      if (at < 0) {
        throw this.#invalid("Unrecognized escape sequence.");
      }
      return '"\\/\b\f\n\r\t'.charAt(at);
    });
  }

  #primitive(): Value {
    const token = /[^\s,:{}[\]"]*/y;
    token.lastIndex = this.#at;
    const [word = ""] = token.exec(this.text) ?? [];
    this.#at += word.length;
    switch (word) {
      case "null":
        return null;
      case "true":
      case "false":
        return word === "true";
    }
    if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(word)) {
      throw invalid(`Invalid JSON primitive: ${word}.`);
    }
    return this.#number(word);
  }

  #number(word: string): Value {
    if (/^-?\d+$/.test(word)) {
      const whole = BigInt(word);
      if (BigInt.asIntN(64, whole) !== whole) {
        throw new Unsupported(`the number ${word} out of JSON`);
      }
      // PowerShell 7 has an Int64 for all of them.
      return this.edition === "Desktop" && BigInt.asIntN(32, whole) === whole
        ? Number(word)
        : whole;
    }
    if (this.edition === "Core" || /e/i.test(word)) {
      return is.toDouble(Number(word));
    }
    if (word.replace(/^-?0*\.?0*|\D/g, "").length > 15) {
      throw new Unsupported(`the number ${word} out of JSON: it has too many digits`);
    }
    return new Num(is.decimal, Number(word));
  }
}

export function jsonCmdlets(edition: Edition = "Desktop"): readonly Cmdlet[] {
  const toJson: Cmdlet = {
    name: "ConvertTo-Json",
    implementation: "Microsoft.PowerShell.Commands.ConvertToJsonCommand",
    parameters: {
      InputObject: {
        type: "object",
        position: 0,
        mandatory: true,
        allowEmpty: true,
        pipeline: "value",
      },
      Depth: { type: "int" },
      Compress: { type: "switch" },
    },
    open(call) {
      const inputs: Value[] = [];
      return {
        process() {
          inputs.push(call.get("InputObject") ?? null);
        },
        async end() {
          if (inputs.length === 0) {
            return;
          }
          const simplifier = new Simplifier(call.shell, edition, call.number("Depth") ?? 2);
          const node = simplifier.node(
            inputs.length === 1 ? (inputs[0] as Value) : is.array(inputs),
          );
          const end = newLine(call.shell.host);
          await call.emit(call.flag("Compress") ? compressed(node) : pretty(node, edition, end));
        },
      };
    },
  };
  const fromJson: Cmdlet = {
    name: "ConvertFrom-Json",
    implementation: "Microsoft.PowerShell.Commands.ConvertFromJsonCommand",
    parameters: {
      InputObject: {
        type: "string",
        position: 0,
        mandatory: true,
        allowEmpty: true,
        pipeline: "value",
      },
    },
    open(call) {
      const inputs: string[] = [];
      return {
        process() {
          inputs.push(call.text("InputObject") ?? "");
        },
        async end() {
          for (const text of documents(inputs)) {
            await emitJson(call, new Reader(text, edition, call.shell).read(), edition);
          }
        },
      };
    },
  };
  return [toJson, fromJson];
}

/** Lines are one document, unless the first is one of its own. */
function documents(inputs: readonly string[]): readonly string[] {
  const [first] = inputs;
  if (first === undefined || inputs.length === 1) {
    return inputs;
  }
  try {
    JSON.parse(first);
    return inputs;
  } catch {
    return [inputs.join("\r\n")];
  }
}

/** 5.1 hands an array on whole. */
async function emitJson(call: Call, value: Value, edition: Edition): Promise<void> {
  const items = edition === "Core" ? enumerated(value) : undefined;
  for (const item of items ?? [value]) {
    await call.emit(item);
  }
}

/** 5.1 writes milliseconds since 1970. */
function momentInJson(moment: Value, shell: Shell, edition: Edition): string {
  const milliseconds = fromDateTime(moment, shell.host.clock);
  return edition === "Desktop"
    ? `/Date(${String(milliseconds)})/`
    : new Date(milliseconds).toISOString().replace(/\.?0*Z$/, "Z");
}
