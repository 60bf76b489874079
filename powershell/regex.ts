/**
 * .NET's regular expressions on JavaScript's. A pattern is read and written anew: both work on UTF-16 units, but differ in
 * what `.`, `$`, `\d`, `\w`, `\s` and `\b` mean, in options within a pattern and in the numbers of groups. What would
 * come out differently is `Unsupported`. The order of letters with and without case is that of no culture.
 */
import { raised } from "./types.ts";
import { Unsupported } from "./values.ts";

export interface RegexOptions {
  readonly ignoreCase: boolean;
  readonly multiline?: boolean;
  readonly singleline?: boolean;
}

export interface Group {
  /** Its number as text, or its name. */
  readonly name: string;
  readonly success: boolean;
  readonly value: string;
  readonly index: number;
}

export interface Match {
  readonly index: number;
  readonly value: string;
  /** The whole match as the first, then by number; named ones last. */
  readonly groups: readonly Group[];
}

const cache = new Map<string, Regex>();

/** Throws the ArgumentException that .NET has for a bad pattern. */
export function compile(pattern: string, options: RegexOptions): Regex {
  const { ignoreCase, multiline = false, singleline = false } = options;
  const key = `${String(ignoreCase)},${String(multiline)},${String(singleline)},${pattern}`;
  let regex = cache.get(key);
  if (!regex) {
    regex = new Regex(new Translator(pattern, { ignoreCase, multiline, singleline }).translate());
    cache.set(key, regex);
  }
  return regex;
}

/** A text as a pattern that matches just it. */
export function escape(text: string): string {
  const named = new Map([
    ["\t", "\\t"],
    ["\n", "\\n"],
    ["\f", "\\f"],
    ["\r", "\\r"],
  ]);
  return text.replace(/[\\*+?|{[()^$.# ]|[\t\n\f\r]/g, (each) => named.get(each) ?? `\\${each}`);
}

export class Regex {
  readonly #expression: RegExp;
  /** Names of the groups, in .NET's order, and where JavaScript has them. */
  readonly #groups: readonly { readonly name: string; readonly place: number }[];
  readonly #uncertain: boolean;

  constructor(translation: Translation) {
    this.#expression = new RegExp(translation.source, `dg${translation.ignoreCase ? "i" : ""}`);
    this.#groups = translation.groups;
    this.#uncertain = translation.uncertain;
  }

  /** The first match at or behind a place. */
  match(text: string, start = 0): Match | undefined {
    this.#expression.lastIndex = start;
    const found = this.#expression.exec(text);
    return found ? this.#toMatch(found) : undefined;
  }

  matches(text: string): Match[] {
    this.#expression.lastIndex = 0;
    return Array.from(text.matchAll(this.#expression), (found) => this.#toMatch(found));
  }

  replace(text: string, replacement: string): string {
    return this.replaceBy(text, (match) => this.#expand(replacement, match, text));
  }

  replaceBy(text: string, replacement: (match: Match) => string): string {
    let result = "";
    let end = 0;
    for (const match of this.matches(text)) {
      result += text.slice(end, match.index) + replacement(match);
      end = match.index + match.value.length;
    }
    return result + text.slice(end);
  }

  /** What stands between the matches, with their groups; `limit` parts at most, 0: all. */
  split(text: string, limit = 0): string[] {
    const parts: string[] = [];
    let end = 0;
    let count = 1;
    for (const match of limit === 1 ? [] : this.matches(text)) {
      parts.push(text.slice(end, match.index));
      parts.push(...match.groups.slice(1).flatMap((group) => (group.success ? [group.value] : [])));
      end = match.index + match.value.length;
      count += 1;
      if (count === limit) {
        break;
      }
    }
    return [...parts, text.slice(end)];
  }

  #toMatch(found: RegExpExecArray): Match {
    const groups = this.#groups.map(({ name, place }) => {
      const value: string | undefined = found[place];
      const uncertain = this.#uncertain && place > 0;
      return {
        name,
        get success() {
          if (uncertain) {
            throw new Unsupported(
              "a group of a regular expression that may be left out in a repetition",
            );
          }
          return value !== undefined;
        },
        value: value ?? "",
        index: found.indices?.[place]?.[0] ?? 0,
      };
    });
    return { index: found.index, value: found[0], groups };
  }

  /** `$1`, `${name}`, `$&` and so on; a dollar before anything else is one. */
  #expand(replacement: string, { groups, index, value }: Match, text: string): string {
    const signs = new Map([
      ["$", "$"],
      ["&", value],
      ["`", text.slice(0, index)],
      ["'", text.slice(index + value.length)],
      ["+", groups.at(-1)?.value ?? ""],
      ["_", text],
    ]);
    return replacement.replace(
      /\$(?:(\d+)|\{(\w+)\}|([$&`'+_]))/g,
      (written: string, digits: string = "", name: string = "", sign: string = "") => {
        // Of the digits so many are taken as are a group's number.
        for (let length = digits.length; length > 0; length -= 1) {
          const number = String(Number(digits.slice(0, length)));
          const group = groups.find((each) => each.name === number);
          if (group) {
            return group.value + digits.slice(length);
          }
        }
        return signs.get(sign) ?? groups.find((each) => each.name === name)?.value ?? written;
      },
    );
  }
}

interface Translation {
  readonly source: string;
  readonly ignoreCase: boolean;
  readonly groups: readonly { readonly name: string; readonly place: number }[];
  /** Groups may have something else than in .NET: asking for one is refused. */
  readonly uncertain: boolean;
}

/** A translated piece, with what decides whether a quantifier behind it means the same in both languages. */
interface Piece {
  readonly source: string;
  /** Can match nothing. */
  readonly nullable: boolean;
  readonly captures: boolean;
  /** Has a group that may take no part. */
  readonly optional: boolean;
}

type Options = Required<RegexOptions>;

/** One character. */
function oneWide(source: string): Piece {
  return { source, nullable: false, captures: false, optional: false };
}

/** A place, or nothing at all. */
function nothingWide(source: string): Piece {
  return { source, nullable: true, captures: false, optional: false };
}

const start = "(?<![\\s\\S])";
const end = "(?![\\s\\S])";
const endOrLast = "(?=\\n?(?![\\s\\S]))";

class Translator {
  #uncertain = false;
  #at = 0;
  #options: Options;
  #unnamed = 0;
  readonly #places: { readonly name: string | undefined }[] = [];
  readonly #cases = new Set<boolean>();

  constructor(
    readonly pattern: string,
    options: Options,
  ) {
    this.#options = options;
  }

  translate(): Translation {
    const { source } = this.#alternatives();
    if (this.#at < this.pattern.length) {
      throw this.#bad("Too many )'s.");
    }
    if (this.#cases.size > 1) {
      throw new Unsupported("a regular expression that minds the case only in a part");
    }
    const groups = this.#places.map(({ name }, index) => ({ name, place: index + 1 }));
    const unnamed = groups.filter((each) => each.name === undefined);
    return {
      source,
      ignoreCase: this.#cases.has(true),
      uncertain: this.#uncertain,
      groups: [
        { name: "0", place: 0 },
        ...unnamed.map(({ place }, index) => ({ name: String(index + 1), place })),
        ...groups.flatMap(({ name, place }) => (name === undefined ? [] : [{ name, place }])),
      ],
    };
  }

  #bad(message: string): Error {
    return raised("System.ArgumentException", `parsing "${this.pattern}" - ${message}`, {
      id: "System.ArgumentException",
    });
  }

  #take(text: string): boolean {
    const found = this.pattern.startsWith(text, this.#at);
    this.#at += found ? text.length : 0;
    return found;
  }

  /** What an expression finds right here. */
  #read(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.pattern) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #alternatives(): Piece {
    const options = this.#options;
    const branches = [this.#sequence()];
    while (this.#take("|")) {
      branches.push(this.#sequence());
    }
    this.#options = options;
    return {
      source: branches.map((each) => each.source).join("|"),
      nullable: branches.some((each) => each.nullable),
      captures: branches.some((each) => each.captures),
      optional: branches.some((each) => each.optional || (branches.length > 1 && each.captures)),
    };
  }

  #sequence(): Piece {
    const pieces: Piece[] = [];
    while (this.#at < this.pattern.length && !/[|)]/.test(this.pattern.charAt(this.#at))) {
      const piece = this.#atom();
      if (piece) {
        pieces.push(this.#quantified(piece));
      } else if (this.#read(quantifier)) {
        throw this.#bad("Quantifier {x,y} following nothing.");
      }
    }
    return {
      source: pieces.map((each) => each.source).join(""),
      nullable: pieces.every((each) => each.nullable),
      captures: pieces.some((each) => each.captures),
      optional: pieces.some((each) => each.optional),
    };
  }

  #quantified(piece: Piece): Piece {
    const found = this.#read(quantifier);
    if (!found) {
      return piece;
    }
    const [, sign, low = "", comma, high = "", lazy = ""] = found;
    const minimum = sign === undefined ? Number(low) : sign === "+" ? 1 : 0;
    const most = high === "" ? Infinity : Number(high);
    const maximum =
      sign === undefined ? (comma === undefined ? minimum : most) : sign === "?" ? 1 : Infinity;
    if (minimum > maximum) {
      throw this.#bad("Illegal {x,y} with x > y.");
    }
    const nested = this.#read(quantifier);
    if (nested) {
      throw this.#bad(`Nested quantifier ${nested[0].charAt(0)}.`);
    }
    // JavaScript forgets groups at each repetition, and passes over repetitions that match nothing.
    if (
      piece.captures &&
      ((maximum > 1 && piece.optional) || (piece.nullable && (maximum > 1 || minimum === 0)))
    ) {
      this.#uncertain = true;
    }
    const count = sign ?? `{${low}${comma ?? ""}${high}}`;
    return {
      source: `(?:${piece.source})${count}${lazy}`,
      nullable: piece.nullable || minimum === 0,
      captures: piece.captures,
      optional: piece.optional || (piece.captures && minimum === 0),
    };
  }

  /** Undefined: nothing that could be repeated stood here. */
  #atom(): Piece | undefined {
    if (this.#take("(")) {
      return this.#group();
    }
    if (this.#take("[")) {
      return oneWide(this.#class());
    }
    if (this.#take("\\")) {
      return this.#escape();
    }
    if (/[*+?]/.test(this.pattern.charAt(this.#at)) || looksLikeCount(this.pattern, this.#at)) {
      return undefined;
    }
    const char = this.pattern.charAt(this.#at);
    this.#at += 1;
    switch (char) {
      case ".":
        return oneWide(this.#options.singleline ? "[\\s\\S]" : "[^\\n]");
      case "^":
        return nothingWide(this.#options.multiline ? "(?<![^\\n])" : start);
      case "$":
        return nothingWide(this.#options.multiline ? "(?![^\\n])" : endOrLast);
      default:
        return this.#literal(char);
    }
  }

  #literal(char: string): Piece {
    this.#noteCase(char);
    return oneWide(unit(char.charCodeAt(0)));
  }

  #noteCase(text: string): void {
    if (text.toLowerCase() !== text.toUpperCase()) {
      this.#cases.add(this.#options.ignoreCase);
    }
  }

  #group(): Piece | undefined {
    const options = this.#options;
    if (!this.#take("?")) {
      this.#unnamed += 1;
      return this.#inner("(", undefined, options);
    }
    if (this.#take("#")) {
      this.#read(/[^)]*\)/y);
      return nothingWide("");
    }
    const name = this.#read(/<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)'/y);
    if (name) {
      return this.#inner("(", name[1] ?? name[2], options);
    }
    const around = this.#read(/:|=|!|<=|<!/y);
    if (around) {
      const inner = this.#inner(`(?${around[0]}`, undefined, options);
      return around[0] === ":" ? inner : { ...inner, nullable: true };
    }
    const inline = this.#read(/([imnsx]*)(?:-([imnsx]*))?([:)])/y);
    if (inline) {
      const [, on = "", off = "", closing] = inline;
      if (/[nx]/.test(on)) {
        throw new Unsupported(`the option ${on} of regular expressions`);
      }
      const is = (letter: string, before: boolean) =>
        on.includes(letter) ? true : off.includes(letter) ? false : before;
      this.#options = {
        ignoreCase: is("i", options.ignoreCase),
        multiline: is("m", options.multiline),
        singleline: is("s", options.singleline),
      };
      return closing === ":" ? this.#inner("(?:", undefined, options) : nothingWide("");
    }
    const [construct, kind] = constructs.find(([start]) =>
      this.pattern.startsWith(start, this.#at),
    ) ?? [undefined, undefined];
    throw construct === undefined
      ? this.#bad("Unrecognized grouping construct.")
      : new Unsupported(`${kind} of regular expressions`);
  }

  /** To the closing parenthesis, behind which `options` hold again. */
  #inner(opening: string, name: string | undefined, options: Options): Piece {
    const captures = opening === "(";
    if (captures) {
      if (name !== undefined && this.#places.some((each) => each.name === name)) {
        throw new Unsupported("two groups of one name in a regular expression");
      }
      this.#places.push({ name });
    }
    const inner = this.#alternatives();
    if (!this.#take(")")) {
      throw this.#bad("Not enough )'s.");
    }
    this.#options = options;
    return { ...inner, source: `${opening}${inner.source})`, captures: captures || inner.captures };
  }

  /** Behind a backslash, outside of a class. */
  #escape(): Piece {
    const char = this.pattern.charAt(this.#at);
    if (char === "") {
      throw this.#bad("Illegal \\ at end of pattern.");
    }
    if (/[Gk1-9]/.test(char)) {
      throw new Unsupported(`\\${char} of regular expressions`);
    }
    if (/[AzZbB]/.test(char)) {
      this.#at += 1;
      return nothingWide(placeOf(char));
    }
    const set = this.#category();
    return set === undefined ? this.#literal(this.#escapedChar()) : oneWide(`[${set}]`);
  }

  /** `\d`, `\W`, `\p{L}` and their like, as the inside of a class. */
  #category(): string | undefined {
    const found = this.#read(/[dDwWsS]|[pP]\{(\w+)\}/y);
    if (!found) {
      return undefined;
    }
    const [written, property] = found;
    const names: Record<string, string> = { d: "digit", w: "word", s: "space" };
    if (
      property !== undefined &&
      (!/^(?:[LMNPSZC][a-z]?)$/.test(property) ||
        (/^L[ult]$/.test(property) && this.#options.ignoreCase))
    ) {
      throw new Unsupported(`\\${written} of regular expressions`);
    }
    return ranges(property ?? names[written.toLowerCase()] ?? "", /[A-Z]/.test(written.charAt(0)));
  }

  /** One character behind a backslash. */
  #escapedChar(): string {
    const code = this.#read(/x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(0[0-7]{0,2})|c([A-Za-z])/y);
    if (code) {
      const [, two, four, octal, control] = code;
      return String.fromCharCode(
        control === undefined
          ? octal === undefined
            ? parseInt(two ?? four ?? "", 16)
            : parseInt(octal, 8)
          : control.toUpperCase().charCodeAt(0) - 64,
      );
    }
    const char = this.pattern.charAt(this.#at);
    this.#at += 1;
    const special: Record<string, string> = {
      a: "\x07",
      e: "\x1b",
      f: "\f",
      n: "\n",
      r: "\r",
      t: "\t",
      v: "\v",
    };
    if (special[char] !== undefined) {
      return special[char];
    }
    if (/[\p{L}\p{Nd}_]/u.test(char)) {
      throw this.#bad(
        /[xu]/.test(char)
          ? "Insufficient hexadecimal digits."
          : `Unrecognized escape sequence \\${char}.`,
      );
    }
    return char;
  }

  /** Behind `[`. */
  #class(): string {
    const negated = this.#take("^");
    let source = "";
    for (let first = true; first || !this.#take("]"); first = false) {
      if (this.#at >= this.pattern.length) {
        throw this.#bad("Unterminated [] set.");
      }
      if (this.#take("-[")) {
        throw new Unsupported("subtraction in classes of regular expressions");
      }
      const low = this.#classItem();
      if (low.char === undefined) {
        source += low.set;
        continue;
      }
      const isRange =
        /^-[^\]]/.test(this.pattern.slice(this.#at)) && !this.pattern.startsWith("-[", this.#at);
      if (!isRange) {
        source += unit(low.char.charCodeAt(0));
        this.#noteCase(low.char);
        continue;
      }
      this.#at += 1;
      const high = this.#classItem();
      if (high.char === undefined) {
        throw this.#bad("Cannot include class in character range.");
      }
      if (high.char < low.char) {
        throw this.#bad("[x-y] range in reverse order.");
      }
      source += `${unit(low.char.charCodeAt(0))}-${unit(high.char.charCodeAt(0))}`;
      // A range over letters minds the case; those of signs and digits only do not.
      this.#noteCase(high.char <= "@" ? "" : low.char <= "z" ? "a" : low.char + high.char);
    }
    return `[${negated ? "^" : ""}${source}]`;
  }

  #classItem():
    | { readonly char: string; readonly set?: undefined }
    | { readonly char?: undefined; readonly set: string } {
    if (!this.#take("\\")) {
      const char = this.pattern.charAt(this.#at);
      this.#at += 1;
      return { char };
    }
    if (this.#at >= this.pattern.length) {
      throw this.#bad("Illegal \\ at end of pattern.");
    }
    if (this.#take("b")) {
      return { char: "\b" };
    }
    const set = this.#category();
    return set === undefined ? { char: this.#escapedChar() } : { set };
  }
}

/** What a letter behind a backslash stands for, where it is a place. */
function placeOf(letter: string): string {
  if (letter !== "b" && letter !== "B") {
    return letter === "A" ? start : letter === "z" ? end : endOrLast;
  }
  const word = `[${ranges("word")}\\u200c\\u200d]`;
  const [inside, outside] = letter === "b" ? ["!", "="] : ["=", "!"];
  return `(?:(?<=${word})(?${inside}${word})|(?<!${word})(?${outside}${word}))`;
}

const quantifier = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})(\?)?/y;

function looksLikeCount(pattern: string, at: number): boolean {
  return /^\{\d+(?:,\d*)?\}/.test(pattern.slice(at, at + 30));
}

const constructs: readonly (readonly [string, string])[] = [
  [">", "atomic groups"],
  ["(", "conditions"],
  ["<", "balancing or numbered groups"],
  ["'", "balancing or numbered groups"],
];

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

const known = new Map<string, string>();

/** The characters of a Unicode category as ranges for a class: .NET looks at single UTF-16 units. */
function ranges(category: string, negated = false): string {
  const key = `${String(negated)}${category}`;
  let text = known.get(key);
  if (text === undefined) {
    const inside: Record<string, string> = {
      digit: "\\p{Nd}",
      word: "\\p{L}\\p{Mn}\\p{Nd}\\p{Pc}",
      space: "\\f\\n\\r\\t\\v\\u0085\\p{Z}",
    };
    const expression = new RegExp(`[${inside[category] ?? `\\p{${category}}`}]`, "u");
    text = "";
    let start: number | undefined;
    for (let code = 0; code <= 0x10000; code += 1) {
      const belongs = code < 0x10000 && expression.test(String.fromCharCode(code)) !== negated;
      if (belongs) {
        start ??= code;
      } else if (start !== undefined) {
        text += start === code - 1 ? unit(start) : `${unit(start)}-${unit(code - 1)}`;
        start = undefined;
      }
    }
    known.set(key, text);
  }
  return text;
}
