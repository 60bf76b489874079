/** What is below the grammar: what single characters mean to PowerShell, numbers, space between words, positions. */

import type { ConstantValue, Position, SourceFile, TypeName, Variable } from "./syntax.ts";

/** Characters as PowerShell takes them: typographic quotes and dashes count as plain ones. */
const singleQuotes = "'\u2018\u2019\u201a\u201b";
const doubleQuotes = '"\u201c\u201d\u201e';
const dashes = "-\u2013\u2014\u2015";

/** None of these tests takes the empty text behind the end for a character. */
export const oneOf = (set: string, character: string): boolean =>
  character !== "" && set.includes(character);

export const isSingleQuote = (character: string): boolean => oneOf(singleQuotes, character);
export const isDoubleQuote = (character: string): boolean => oneOf(doubleQuotes, character);
export const isDash = (character: string): boolean => oneOf(dashes, character);
export const isNewline = (character: string): boolean => oneOf("\r\n", character);
export const isDigit = (character: string): boolean => oneOf("0123456789", character);
export const isLetter = (character: string): boolean => /^[\p{L}_]$/u.test(character);
export const isNameCharacter = (character: string): boolean => /^[\p{L}\p{Nd}_]$/u.test(character);
export const isVariableCharacter = (character: string): boolean =>
  isNameCharacter(character) || character === "?";

/** Space within a line. */
export const isSpace = (character: string): boolean =>
  !isNewline(character) && /^[\s\u0085]$/u.test(character);

/** Whether a bare word ends before this character; so it does at the end of the text. */
export const endsWord = (character: string): boolean =>
  character === "" || isNewline(character) || isSpace(character) || oneOf("&(),;{}|<>", character);

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

/** What a character behind a backtick stands for. */
export const escaped = (character: string): string => escapes[character] ?? character;

export interface ScannedNumber {
  readonly value: ConstantValue;
  readonly end: number;
  /** Written with `d`, as a System.Decimal. */
  readonly isDecimal: boolean;
}

const numberForm =
  /([-+\u2013\u2014\u2015]?)(?:(0x[0-9a-f]+)|((?:\d+(?:\.\d+|\.(?![.\p{L}_]))?|\.\d+)(?:e[-+]?\d+)?))([ld]?)([kmgtp]b)?/iuy;

const multipliers: Readonly<Record<string, bigint>> = {
  kb: 1n << 10n,
  mb: 1n << 20n,
  gb: 1n << 30n,
  tb: 1n << 40n,
  pb: 1n << 50n,
};

/** The number that begins at an offset, with its sign if it has one. What follows it is the caller's business. */
export function scanNumber(text: string, start: number): ScannedNumber | undefined {
  numberForm.lastIndex = start;
  const match = numberForm.exec(text);
  if (match === null) {
    return undefined;
  }
  const [whole, sign = "", hexadecimal, decimal = "", suffix = "", unit = ""] = match;
  const isDecimal = suffix.toLowerCase() === "d";
  const factor = multipliers[unit.toLowerCase()] ?? 1n;
  const signed = isDash(sign) ? -1n : 1n;
  const end = start + whole.length;

  if (hexadecimal === undefined && (isDecimal || /[.e]/i.test(decimal))) {
    return { value: { double: Number(signed) * Number(decimal) * Number(factor) }, end, isDecimal };
  }
  const magnitude =
    hexadecimal === undefined
      ? BigInt(decimal)
      : BigInt.asIntN(bitsOf(hexadecimal), BigInt(hexadecimal));
  return { value: integer(signed * magnitude * factor, suffix !== ""), end, isDecimal };
}

/** The digits of a hexadecimal number are the very bits: 0xFFFFFFFF is -1. */
function bitsOf(hexadecimal: string): number {
  const digits = hexadecimal.slice(2).replace(/^0+/, "").length;
  return digits <= 8 ? 32 : digits <= 16 ? 64 : 4 * digits + 1;
}

function integer(value: bigint, long: boolean): ConstantValue {
  if (!long && BigInt.asIntN(32, value) === value) {
    return Number(value);
  }
  return BigInt.asIntN(64, value) === value ? value : { double: Number(value) };
}

/** A text that is no PowerShell. */
export class ScriptSyntaxError extends Error {
  constructor(
    message: string,
    readonly position: Position,
  ) {
    super(`${position.file.path}:${position.line}: ${message}`);
    this.name = new.target.name;
  }
}

/** What PowerShell has and this interpreter has not. */
export class UnsupportedSyntaxError extends ScriptSyntaxError {
  constructor(
    readonly construct: string,
    position: Position,
  ) {
    super(`${construct} is not supported`, position);
  }
}

/** A place in a text, and what is read there whatever the grammar says. */
export class Reader {
  protected readonly text: string;
  protected at = 0;
  private readonly lineStarts: readonly number[];
  /** The space passed last: nodes end before it. */
  private spaceStart = 0;
  private spaceEnd = 0;

  constructor(private readonly file: SourceFile) {
    this.text = file.text;
    const starts = [0];
    for (let next = this.text.indexOf("\n"); next >= 0; next = this.text.indexOf("\n", next + 1)) {
      starts.push(next + 1);
    }
    this.lineStarts = starts;
  }

  protected peek(offset = 0): string {
    return this.text.charAt(this.at + offset);
  }

  protected looksAt(expected: string): boolean {
    return this.text.startsWith(expected, this.at);
  }

  /** Passes a text if it stands here. */
  protected pass(expected: string): boolean {
    if (!this.looksAt(expected)) {
      return false;
    }
    this.at += expected.length;
    return true;
  }

  protected expect(expected: string, what: string): void {
    if (!this.pass(expected)) {
      this.fail(`${what}: '${expected}' expected, not ${this.found()}`);
    }
  }

  protected found(): string {
    if (this.at >= this.text.length) {
      return "the end";
    }
    if (isNewline(this.peek())) {
      return "the end of the line";
    }
    const word = /^(?:[\p{L}\p{Nd}_$-]+|.)/u.exec(this.text.slice(this.at, this.at + 40));
    return `'${word?.[0] ?? this.peek()}'`;
  }

  private lineOf(offset: number): number {
    let low = 0;
    let high = this.lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.lineStarts[middle] ?? 0) <= offset) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low + 1;
  }

  protected span(start: number, end: number): Position {
    return { file: this.file, line: this.lineOf(start), start, end };
  }

  /** From an offset to here, without space before here. */
  protected since(start: number): Position {
    const end = this.at === this.spaceEnd ? Math.max(start, this.spaceStart) : this.at;
    return this.span(start, end);
  }

  protected fail(message: string, start = this.at): never {
    throw new ScriptSyntaxError(message, this.span(start, Math.max(start, this.at)));
  }

  protected refuse(construct: string, start = this.at): never {
    throw new UnsupportedSyntaxError(construct, this.span(start, Math.max(start, this.at)));
  }

  /** Runs a rule; if it gives undefined, nothing was read. */
  protected attempt<T>(rule: () => T | undefined): T | undefined {
    const { at, spaceStart, spaceEnd } = this;
    const result = rule();
    if (result === undefined) {
      Object.assign(this, { at, spaceStart, spaceEnd });
    }
    return result;
  }

  private markSpace(from: number): void {
    if (this.at === from) {
      return;
    }
    if (from !== this.spaceEnd) {
      this.spaceStart = from;
    }
    this.spaceEnd = this.at;
  }

  /** Passes space, comments and continuations of lines. */
  protected space(): void {
    const from = this.at;
    for (;;) {
      const character = this.peek();
      if (isSpace(character)) {
        this.at += 1;
      } else if (character === "`" && isNewline(this.peek(1))) {
        this.at += this.peek(1) === "\r" && this.peek(2) === "\n" ? 3 : 2;
      } else if (character === "#") {
        while (this.at < this.text.length && !isNewline(this.peek())) {
          this.at += 1;
        }
      } else if (this.looksAt("<#")) {
        const end = this.text.indexOf("#>", this.at + 2);
        if (end < 0) {
          this.fail("'#>' is missing for '<#'");
        }
        this.at = end + 2;
      } else {
        break;
      }
    }
    this.markSpace(from);
  }

  /** The same and ends of lines. */
  protected newlines(): void {
    const from = this.at;
    this.space();
    while (isNewline(this.peek())) {
      this.at += 1;
      this.space();
    }
    this.markSpace(from);
  }

  /** The bare word that stands here, in lower case. */
  protected wordHere(): string {
    let end = this.at;
    while (isLetter(this.text.charAt(end))) {
      end += 1;
    }
    return endsWord(this.text.charAt(end)) ? this.text.slice(this.at, end).toLowerCase() : "";
  }

  protected passWord(word: string): boolean {
    if (this.wordHere() !== word) {
      return false;
    }
    this.at += word.length;
    return true;
  }

  /** Passes a word behind ends of lines; if another one stands there, nothing. */
  protected passContinuation(word: string): boolean {
    return (
      this.attempt(() => {
        this.newlines();
        return this.passWord(word) || undefined;
      }) ?? false
    );
  }

  protected simpleName(): string | undefined {
    const from = this.at;
    while (isNameCharacter(this.peek())) {
      this.at += 1;
    }
    return this.at === from || isDigit(this.text.charAt(from))
      ? undefined
      : this.text.slice(from, this.at);
  }

  /** A text in single quotes. */
  protected literalText(): string {
    const opener = this.at;
    let value = "";
    this.at += 1;
    for (;;) {
      const character = this.peek();
      if (character === "") {
        this.fail("the quote is not closed", opener);
      }
      if (isSingleQuote(character)) {
        if (!isSingleQuote(this.peek(1))) {
          this.at += 1;
          return value;
        }
        this.at += 1;
      }
      value += character;
      this.at += 1;
    }
  }

  /** What closes a bracket. A missing one is told with the bracket's own line. */
  protected close(closer: string, opener: number): void {
    if (this.pass(closer)) {
      return;
    }
    if (this.at >= this.text.length) {
      const missing = `'${closer}' is missing for '${this.text.charAt(opener)}'`;
      throw new ScriptSyntaxError(missing, this.span(opener, opener + 1));
    }
    this.refuseUnsupportedOperator();
    this.fail(`'${closer}' expected, not ${this.found()}`);
  }

  protected refuseUnsupportedOperator(): void {
    const operator = /^(?:&&|\|\||&|\?\?=?|\?)/.exec(this.text.slice(this.at, this.at + 3))?.[0];
    if (operator === "?") {
      this.refuse("the ternary operator");
    } else if (operator === "&") {
      this.refuse("running in the background with '&'");
    } else if (operator !== undefined) {
      this.refuse(`'${operator}'`);
    }
  }

  /** Whether `$` begins a variable here; else it is a character like others. */
  protected variableFollows(): boolean {
    const next = this.peek(1);
    return next === "{" || next === "$" || next === "^" || isVariableCharacter(next);
  }

  /** `$name`, `$scope:name` or `${any text}`; with `@` in place of `$` too. */
  protected variable(): Variable {
    const start = this.at;
    this.at += 1;
    const path = this.looksAt("{") ? this.bracedName() : this.variablePath();
    const colon = path.indexOf(":");
    const scope = colon < 0 ? undefined : path.slice(0, colon).toLowerCase();
    const name = path.slice(colon + 1);
    if (name === "") {
      this.fail("the variable's name is missing", start);
    }
    return { kind: "Variable", scope, name, splatted: false, position: this.since(start) };
  }

  private bracedName(): string {
    const opener = this.at;
    let name = "";
    for (this.at += 1; !this.looksAt("}"); this.at += 1) {
      if (this.at >= this.text.length) {
        this.close("}", opener);
      }
      if (this.looksAt("`")) {
        this.at += 1;
      }
      name += this.peek();
    }
    this.at += 1;
    return name;
  }

  private variablePath(): string {
    const from = this.at;
    if (oneOf("$^?", this.peek())) {
      this.at += 1;
      return this.text.slice(from, this.at);
    }
    const passName = (): void => {
      while (isVariableCharacter(this.peek())) {
        this.at += 1;
      }
    };
    passName();
    if (this.looksAt(":") && this.peek(1) !== ":") {
      this.at += 1;
      passName();
      if (this.text.charAt(this.at - 1) === ":") {
        this.fail(
          "':' behind a variable is not followed by a name; write ${name} before a colon",
          from - 1,
        );
      }
    }
    return this.text.slice(from, this.at);
  }

  protected typeName(): TypeName {
    const start = this.at;
    let depth = 0;
    do {
      const character = this.peek();
      if (character === "" || oneOf("'\"(){};$|", character) || isNewline(character)) {
        this.fail("']' is missing for '['", start);
      }
      depth += character === "[" ? 1 : character === "]" ? -1 : 0;
      this.at += 1;
    } while (depth > 0);
    const written = this.text.slice(start + 1, this.at - 1).trim();
    const name = written.replace(/(?:\s*\[\s*\])+$/, "");
    if (!/^[\p{L}_]/u.test(name)) {
      this.fail(`'[${written}]' is no type`, start);
    }
    const ranks = written.slice(name.length).split("[").length - 1;
    return { kind: "TypeName", name, ranks, position: this.since(start) };
  }
}
