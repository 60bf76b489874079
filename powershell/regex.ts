/**
 * .NET's regular expressions on JavaScript's. A pattern is read and written anew: both work on UTF-16 units, but differ in
 * what `.`, `$`, `\d`, `\w`, `\s` and `\b` mean, in options within a pattern and in the numbers of groups. What would
 * come out differently, or is not known, is `Unsupported`.
 */
import { raised } from "./types.ts";
import { Unsupported } from "./values.ts";

export interface Group {
  /** Its number as text, or its name. */
  readonly name: string;
  readonly success: boolean;
  readonly value: string;
}

export interface Match {
  readonly index: number;
  readonly value: string;
  /** The whole match as the first, then by number; named ones last. */
  readonly groups: readonly Group[];
}

const cache = new Map<string, Regex>();

export function compile(pattern: string, { ignoreCase }: { readonly ignoreCase: boolean }): Regex {
  const key = `${String(ignoreCase)},${pattern}`;
  const regex = cache.get(key) ?? new Regex(new Translator(pattern, ignoreCase));
  cache.set(key, regex);
  return regex;
}

export class Regex {
  readonly #expression: RegExp;
  /** Names of the groups, in .NET's order, and where JavaScript has them. */
  readonly #groups: readonly { readonly name: string; readonly place: number }[];
  readonly #uncertain: boolean;

  constructor(translator: Translator) {
    const source = translator.translate();
    try {
      this.#expression = new RegExp(source, translator.ignoreCase ? "gi" : "g");
    } catch {
      throw translator.bad();
    }
    const groups = translator.names.map((name, index) => ({ name, place: index + 1 }));
    const unnamed = groups.filter((each) => each.name === undefined);
    this.#groups = [
      { name: "0", place: 0 },
      ...unnamed.map(({ place }, index) => ({ name: String(index + 1), place })),
      ...groups.flatMap(({ name, place }) => (name === undefined ? [] : [{ name, place }])),
    ];
    this.#uncertain = translator.uncertain;
  }

  /** The first match. */
  match(text: string): Match | undefined {
    this.#expression.lastIndex = 0;
    const found = this.#expression.exec(text);
    return found ? this.#toMatch(found) : undefined;
  }

  matches(text: string): Match[] {
    this.#expression.lastIndex = 0;
    return Array.from(text.matchAll(this.#expression), (found) => this.#toMatch(found));
  }

  /** With `$1`, `${name}`, `$&` and `$$` in the replacement; a dollar before anything else is one. */
  replace(text: string, replacement: string): string {
    const references = /\$(?:(\d+)|\{(\w+)\}|[$&`'+_])/g;
    return this.replaceBy(text, ({ groups }) =>
      replacement.replace(references, (written: string, number?: string, name?: string) => {
        if (/[`'+_]$/.test(written)) {
          throw new Unsupported(`${written} in a replacement`);
        }
        const wanted = written === "$&" ? "0" : (number ?? name);
        const group = groups.find((each) => each.name === wanted);
        return written === "$$" ? "$" : (group?.value ?? written);
      }),
    );
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
    for (const match of this.matches(text).slice(0, limit === 0 ? undefined : limit - 1)) {
      parts.push(text.slice(end, match.index));
      parts.push(...match.groups.slice(1).flatMap((group) => (group.success ? [group.value] : [])));
      end = match.index + match.value.length;
    }
    return [...parts, text.slice(end)];
  }

  #toMatch(found: RegExpExecArray): Match {
    const groups = this.#groups.map(({ name, place }) => {
      const value: string | undefined = found[place];
      const certain = <T>(said: T): T => {
        if (this.#uncertain && place > 0) {
          throw new Unsupported("groups that may be left out in a repetition");
        }
        return said;
      };
      return {
        name,
        get success() {
          return certain(value !== undefined);
        },
        get value() {
          return certain(value ?? "");
        },
      };
    });
    return { index: found.index, value: found[0], groups };
  }
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

function piece(source: string, nullable = false): Piece {
  return { source, nullable, captures: false, optional: false };
}

class Translator {
  /** Of the groups, in the order of their beginnings. */
  readonly names: (string | undefined)[] = [];
  /** Groups may have something else than in .NET: asking for one is refused. */
  uncertain = false;
  #multiline = false;
  #singleline = false;
  #at = 0;

  constructor(
    readonly pattern: string,
    public ignoreCase: boolean,
  ) {}

  translate(): string {
    const [, on = "", off = ""] = this.#read(/\(\?([ims]*)(?:-([ims]*))?\)/y) ?? [];
    this.ignoreCase = on.includes("i") || (this.ignoreCase && !off.includes("i"));
    this.#multiline = on.includes("m");
    this.#singleline = on.includes("s");
    const { source } = this.#alternatives();
    if (this.#at < this.pattern.length) {
      throw this.bad();
    }
    return source;
  }

  /** What .NET throws, though it says what is wrong. */
  bad(): Error {
    return raised("System.ArgumentException", `parsing "${this.pattern}" - Invalid pattern.`, {
      id: "System.ArgumentException",
    });
  }

  /** What an expression finds right here. */
  #read(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.pattern) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  /** To the closing parenthesis or the end. */
  #alternatives(): Piece {
    let { source, nullable, captures, optional } = piece("");
    let branches = 1;
    let isBranchNullable = true;
    while (this.#at < this.pattern.length && this.pattern.charAt(this.#at) !== ")") {
      if (this.#read(/\|/y)) {
        source += "|";
        nullable ||= isBranchNullable;
        isBranchNullable = true;
        branches += 1;
        continue;
      }
      const next = this.#quantified(this.#atom());
      source += next.source;
      isBranchNullable &&= next.nullable;
      captures ||= next.captures;
      optional ||= next.optional;
    }
    return {
      source,
      nullable: nullable || isBranchNullable,
      captures,
      optional: optional || (captures && branches > 1),
    };
  }

  #quantified(inner: Piece): Piece {
    const [count] = this.#read(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y) ?? [];
    if (count === undefined) {
      return inner;
    }
    const mayBeLeftOut = /^(?:[*?]|\{0)/.test(count);
    const isRepeated = !/^(?:\?|\{(?:\d+,)?[01]\})/.test(count);
    // JavaScript forgets groups at each repetition, and passes over repetitions that match nothing.
    this.uncertain ||=
      inner.captures &&
      ((isRepeated && inner.optional) || (inner.nullable && (isRepeated || mayBeLeftOut)));
    return {
      source: `(?:${inner.source})${count}`,
      nullable: inner.nullable || mayBeLeftOut,
      captures: inner.captures,
      optional: inner.optional || (inner.captures && mayBeLeftOut),
    };
  }

  #atom(): Piece {
    const [char = ""] = this.#read(/[^]/y) ?? [];
    switch (char) {
      case "(":
        return this.#group();
      case "[":
        return piece(this.#class());
      case "\\":
        return this.#escape();
      case ".":
        return piece(this.#singleline ? "[^]" : "[^\\n]");
      case "^":
        return piece(this.#multiline ? "(?<![^\\n])" : "(?<![^])", true);
      case "$":
        return piece(this.#multiline ? "(?![^\\n])" : "(?=\\n?(?![^]))", true);
      default:
        return piece(char);
    }
  }

  /** Behind the opening parenthesis. */
  #group(): Piece {
    const [opening, name] = this.#read(/(?!\?)|\?(?:<([A-Za-z_]\w*)>|:|<?[=!])/y) ?? [];
    if (opening === undefined || (name !== undefined && this.names.includes(name))) {
      throw this.#unsupported("(");
    }
    const captures = opening === "" || name !== undefined;
    if (captures) {
      this.names.push(name);
    }
    const inner = this.#alternatives();
    if (!this.#read(/\)/y)) {
      throw this.bad();
    }
    return {
      source: `(${captures ? "" : opening}${inner.source})`,
      nullable: inner.nullable || /[=!]/.test(opening),
      captures: captures || inner.captures,
      optional: inner.optional,
    };
  }

  /** Behind a backslash, outside of a class. */
  #escape(): Piece {
    if (this.#read(/b/y)) {
      const word = `[${ranges("w")}\\u200c\\u200d]`;
      return piece(`(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`, true);
    }
    const [char = ""] = this.#read(/x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^]/y) ?? [];
    return piece(/^[dws]$/i.test(char) ? `[${ranges(char)}]` : this.#character(char));
  }

  /** What stands behind a backslash, for JavaScript. */
  #character(escaped: string): string {
    if (!/^(?:[nrtfv]|[^\w]|[xu].+)$/.test(escaped)) {
      throw this.#unsupported(`\\${escaped}`);
    }
    return `\\${escaped}`;
  }

  /** Behind the opening bracket; a closing one right there is a character. */
  #class(): string {
    const [whole, negation = "", inside = ""] = this.#read(/(\^?)(\]?(?:\\[^]|[^\\\]])*)\]/y) ?? [];
    if (whole === undefined) {
      throw this.bad();
    }
    if (/-\[|\\[dws]-.|-\\[dws]/is.test(inside)) {
      throw this.#unsupported(`[${whole}`);
    }
    const source = inside
      .replace(/^\]/, "\\]")
      .replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^])/g, (_, char: string) =>
        /^[dws]$/i.test(char) ? ranges(char) : this.#character(char),
      );
    return `[${negation}${source}]`;
  }

  #unsupported(what: string): Unsupported {
    return new Unsupported(`${what} in the regular expression ${this.pattern}`);
  }
}

const categories: Readonly<Record<string, RegExp>> = {
  d: /\p{Nd}/u,
  w: /[\p{L}\p{Mn}\p{Nd}\p{Pc}]/u,
  s: /[\f\n\r\t\v\u0085\p{Z}]/u,
};
const known = new Map<string, string>();

/** The characters of `\d`, `\W` and so on as ranges for a class: .NET looks at single UTF-16 units. */
function ranges(letter: string): string {
  let text = known.get(letter);
  if (text === undefined) {
    const unit = (code: number) => `\\u${code.toString(16).padStart(4, "0")}`;
    const category = categories[letter.toLowerCase()];
    const isNegated = letter !== letter.toLowerCase();
    text = "";
    let start: number | undefined;
    for (let code = 0; code <= 0x10000; code += 1) {
      const belongs = code < 0x10000 && category?.test(String.fromCharCode(code)) === !isNegated;
      if (belongs) {
        start ??= code;
      } else if (start !== undefined) {
        text += `${unit(start)}-${unit(code - 1)}`;
        start = undefined;
      }
    }
    known.set(letter, text);
  }
  return text;
}
