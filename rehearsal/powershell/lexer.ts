/** Lexical rules: errors, positions, space between words, and the forms of words and numbers. */

import {
  fileNumber,
  placeOf,
  type ConstantValue,
  type Position,
  type SourceFile,
} from "./syntax.ts";
import { Unsupported } from "./values.ts";

export class ScriptSyntaxError extends Error {
  constructor(
    message: string,
    readonly position: Position,
  ) {
    super(`${placeOf(position)}: ${message}`);
    this.name = new.target.name;
  }
}

const ignored = "`\\r?\\n|#.*|<#[^]*?#>";

/** Space between words: blanks, comments, line continuations. */
const spaces = new RegExp(`(?:[^\\S\\r\\n]|${ignored})*`, "y");

/** Space that includes line breaks. */
export const newlines = new RegExp(`(?:\\s|${ignored})*`, "y");

/** Space between statements: line breaks and semicolons as well. */
export const separators = new RegExp(`(?:[\\s;]|${ignored})*`, "y");

const wordEnd = "(?=$|[\\s&(),;{}|<>])";

const variable = "(?:\\{((?:[^`}]|`[^])+)\\}|((?:\\w+:(?!:))?[\\w?]+|[$^]))";
const number =
  "([-+]?)(?:(0x[0-9a-f]+)|((?:\\d+(?:\\.\\d+|\\.(?![.\\w]))?|\\.\\d+)(?:e[-+]?\\d+)?))(l?)([kmgtp]b)?";

/** A number that no further digits belong to. */
const wholeNumber =
  "[-+]?(?:0x[0-9a-f]+|\\d*\\.\\d+(?:e[-+]?\\d+)?|\\d+(?:e[-+]?\\d+|(?=l|[kmgtp]b)))l?(?:[kmgtp]b)?";

/** Makes the name of a command of a number at the beginning of a statement, and an error of most others. */
const behindNumber = "[[:'\"$@`]|\\.(?![.\\d])";

/** What is behind it are values, also if they look like names of parameters. */
export const endOfNames = "--";

export const forms = {
  wordEnd: new RegExp(`${wordEnd}|\`\\r?\\n`, "y"),
  keyword: new RegExp(`[a-z]+${wordEnd}`, "iy"),
  name: /[a-z_]\w*/iy,
  functionName: /[^\s&(),;{}|<>]+/y,
  /** `-name` before a space, `:`, `.` or `[`. `-x"y"` is a bare word. */
  parameter: new RegExp(`-([a-z_?][^\\s&(),;{}|<>.[:'"]*)(?=[.[:]|${wordEnd})`, "iy"),
  endOfNames: new RegExp(`${endOfNames}${wordEnd}`, "y"),
  /** `&` or `.` before a command's name. */
  invocation: new RegExp(`&|\\.(?:(?=[$'"])|${wordEnd})`, "y"),
  redirection: /[1-6*]?>/y,
  attribute: /\[\s*([a-z_][\w.]*)\s*(?=\()/iy,
  type: /\[([a-z_](?:[\w.,\s]|\[(?:[\w.,\s]|\[[\w.,\s]*\])*\])*)\]/iy,
  statementEnd: /$|[\r\n;)}]/y,
  commandEnd: /$|[\r\n;)}|&]/y,
  assignment: /[-+*/%]?=/y,
  binaryOperator: /-[a-z]\w*|\.\.|[-+/%](?!=)|\*(?![=>])/iy,
  /** A sign before digits is not an operator: it belongs to the number. */
  unaryOperator: /,|!|\+\+|--|[-+](?!\.?\d|[a-z])|-(?:not|join|split|csplit)(?!\w)/iy,
  /** What can follow a type in brackets to make it a cast. */
  castOperand: /[$@(['"{!\d]|\.\d|[-+](?![a-z])|-(?:not|join|split|csplit)(?!\w)/iy,
  member: /::|\.(?!\.)/y,
  variable: new RegExp(`(?:\\$|@(?=\\w))${variable}`, "y"),
  number: new RegExp(number, "iy"),
  /** The beginning of a statement that is an expression, not a command. */
  expression: new RegExp(`['"$@([{,!+-]|${number}(?!\\w|\\.\\w)`, "iy"),
  /** The beginning of an argument that is not a bare word. `$x.Name` is not a bare word; `$x\name` is one. */
  argument: new RegExp(`['"({@]|\\$\\(|\\$${variable}(?=[.[]|::|${wordEnd})`, "y"),
  /** A number of a type that scripts do not use: `1d` is a decimal; 7 has further letters. */
  otherNumber: new RegExp(
    `[-+]?(?:0b[01]*|0x|(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?(?:d|n|u?[ysl]|u))(?:[kmgtp]b)?${wordEnd}`,
    "iy",
  ),
  behindNumber: new RegExp(behindNumber, "y"),
  numberBefore: new RegExp(`${number}(?:${behindNumber})|${wholeNumber}\\.\\d`, "iy"),
  numberArgument: new RegExp(`(?!\\+)${number}${wordEnd}`, "iy"),
};

const escapes: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** The meaning of a character after a backtick. */
export const escaped = (character: string): string => escapes[character] ?? character;

/** The value of a match of `forms.number`. Undefined if no long and no double holds it: it may be a decimal then. */
export function numberOf(match: RegExpExecArray): ConstantValue | undefined {
  const [, sign = "", hexadecimal, decimal = "", long = "", unit = ""] = match;
  const factor = 1n << BigInt(10 * "_kmgtp".indexOf(unit.charAt(0).toLowerCase() || "_"));
  if (/[.e]/i.test(decimal)) {
    const double = Number(sign + decimal) * Number(factor);
    return Number.isFinite(double) ? { double } : undefined;
  }
  // Hexadecimal digits are the bits of a signed number: 0xFFFFFFFF is -1.
  const magnitude =
    hexadecimal === undefined
      ? BigInt(decimal)
      : BigInt.asIntN(hexadecimal.length > "0x".length + 8 ? 64 : 32, BigInt(hexadecimal));
  const value = (sign === "-" ? -1n : 1n) * magnitude * factor;
  if (BigInt.asIntN(64, value) !== value || (hexadecimal?.length ?? 0) > "0x".length + 16) {
    return undefined;
  }
  const isShort = (hexadecimal?.length ?? 0) <= "0x".length + 8;
  const isInt = long === "" && BigInt.asIntN(32, value) === value && (isShort || value >= 0n);
  return isInt ? Number(value) : { int64: String(value) };
}

/** Reads a text from its current position, independent of the grammar. */
export class Reader {
  protected at = 0;
  /** The last skipped space. Nodes end before it. */
  private spaceStart = 0;
  private spaceEnd = 0;

  private readonly fileNumber: number;

  constructor(private readonly file: SourceFile) {
    this.fileNumber = fileNumber(file);
  }

  protected textSince(start: number): string {
    return this.file.text.slice(start, this.at);
  }

  protected looksAt(text: string): boolean {
    return this.file.text.startsWith(text, this.at);
  }

  protected look(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    return pattern.exec(this.file.text);
  }

  protected match(pattern: RegExp): RegExpExecArray | null {
    const match = this.look(pattern);
    this.at += match?.[0].length ?? 0;
    return match;
  }

  protected take(pattern: RegExp): string | undefined {
    return this.match(pattern)?.[0];
  }

  protected pass(text: string): boolean {
    const stands = this.looksAt(text);
    this.at += stands ? text.length : 0;
    return stands;
  }

  protected expect(text: string): void {
    if (!this.pass(text)) {
      this.expected(`'${text}'`);
    }
  }

  /** Skips space: by default blanks, comments and line continuations. */
  protected space(pattern = spaces): void {
    const from = this.at;
    this.take(pattern);
    if (from !== this.spaceEnd) {
      this.spaceStart = from;
    }
    this.spaceEnd = this.at;
  }

  /** Skips space and reads a pattern. If that does not match, skips nothing. */
  protected takeBehind(space: RegExp | undefined, pattern: RegExp): string | undefined {
    const before = this.at;
    this.space(space);
    const found = this.take(pattern);
    this.at = found === undefined ? before : this.at;
    return found;
  }

  protected passKeyword(word: string): boolean {
    const before = this.at;
    const passed = this.takeBehind(newlines, forms.keyword)?.toLowerCase() === word;
    this.at = passed ? this.at : before;
    return passed;
  }

  /** The position from an offset to the current one, without trailing space. */
  protected since(start: number): Position {
    const end = this.at === this.spaceEnd ? Math.max(start, this.spaceStart) : this.at;
    return { file: this.fileNumber, start, end };
  }

  /** Throws a syntax error that names what is expected, or `Unsupported` if an operator is found instead. */
  protected expected(what: string): never {
    this.space();
    const operator = this.take(/&&?|\|\||\?\??|-[a-z]\w*/iy);
    if (operator !== undefined) {
      this.refuse(`'${operator}'`);
    }
    const found = this.look(/[\w$]+|./y)?.[0];
    const instead = found === undefined ? "the end of the line" : `'${found}'`;
    throw new ScriptSyntaxError(`${what} expected, not ${instead}`, this.since(this.at));
  }

  protected refuse(construct: string): never {
    throw new Unsupported(construct).at(this.since(this.at));
  }
}
