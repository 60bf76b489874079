/**
 * .NET's regular expressions, translated to JavaScript's. The translation covers `.`, `^`, `$`, `\s`, `\w`, options
 * within a pattern, and group numbers, which have other meanings in JavaScript. Other differences are `Unsupported`.
 */
import { raised } from "./types.ts";
import { Unsupported, unknownWords, type Raised } from "./values.ts";

interface Group {
  /** The group's name, or its number as text. */
  readonly name: string;
  /** Undefined if the group did not participate in the match. */
  readonly value: string | undefined;
}

const cache = new Map<string, Regex>();

export function compile(pattern: string, { ignoreCase }: { readonly ignoreCase: boolean }): Regex {
  const key = `${String(ignoreCase)},${pattern}`;
  const regex = cache.get(key) ?? new Regex(pattern, ignoreCase);
  cache.set(key, regex);
  return regex;
}

export class Match {
  constructor(
    private readonly found: RegExpExecArray,
    private readonly translated: Translated,
  ) {}

  get index(): number {
    return this.found.index;
  }
  get value(): string {
    return this.found[0];
  }
  /** The whole match, then the numbered groups, then the named groups. */
  get groups(): readonly Group[] {
    const { names, uncertain } = this.translated;
    if (uncertain) throw new Unsupported("groups within a repetition");
    const all = names.map((name, index) => ({ name, value: this.found[index + 1] }));
    const numbered = all.filter(({ name }) => name === undefined);
    return [
      { name: "0", value: this.value },
      ...numbered.map(({ value }, index) => ({ name: String(index + 1), value })),
      ...all.flatMap(({ name, value }) => (name === undefined ? [] : [{ name, value }])),
    ];
  }
}

export class Regex {
  readonly #expression: RegExp;
  readonly #translated: Translated;

  constructor(pattern: string, ignoreCase: boolean) {
    this.#translated = translate(pattern, ignoreCase);
    try {
      this.#expression = new RegExp(this.#translated.source, this.#translated.flags);
    } catch {
      if (/\^[*+?{]/.test(pattern)) throw new Unsupported(`the regular expression ${pattern}`);
      throw invalid(pattern);
    }
  }

  match(text: string): Match | undefined {
    return this.matches(text, 1)[0];
  }

  matches(text: string, limit = Infinity): Match[] {
    // Compiling Unicode classes is slow, so first test whether the text has any such characters.
    const mayDiffer = this.#translated.hasWords && /[^\0-\u024f]/.test(text);
    if (mayDiffer && /(?![\0-\u024f])[\p{L}\p{M}\p{N}\p{Pc}]/u.test(text)) {
      throw new Unsupported("\\w, \\d or \\b in a text with letters that are not Latin");
    }
    const matches: Match[] = [];
    for (const found of text.matchAll(this.#expression)) {
      if (matches.push(new Match(found, this.#translated)) >= limit) break;
    }
    return matches.slice(0, limit);
  }

  /** The replacement may contain `$1`, `${name}`, `$&` and `$$`. Any other dollar sign is literal. */
  replace(text: string, replacement: string): string {
    if (/\$[`'+_]/.test(replacement.replaceAll("$$", ""))) {
      throw new Unsupported(`the replacement ${replacement}`);
    }
    return this.replaceBy(text, (match) =>
      replacement.replace(
        /\$(?:(\d+)|\{(\w+)\}|[$&])/g,
        (written, number?: string, name?: string) => {
          const wanted = written === "$&" ? "0" : (number ?? name);
          // Named groups have numbers too, behind those of the others.
          const isNumber = wanted !== undefined && /^\d+$/.test(wanted);
          const group = isNumber
            ? match.groups[Number(wanted)]
            : match.groups.find((each) => each.name === wanted);
          return group ? (group.value ?? "") : written === "$$" ? "$" : written;
        },
      ),
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

  /** The parts between matches, and the captured groups. `limit` is the maximum number of parts; 0 means no limit. */
  split(text: string, limit = 0): string[] {
    const parts: string[] = [];
    let end = 0;
    for (const match of this.matches(text, limit === 0 ? Infinity : limit - 1)) {
      const groups = match.groups.slice(1).flatMap(({ value }) => value ?? []);
      parts.push(text.slice(end, match.index), ...groups);
      end = match.index + match.value.length;
    }
    return [...parts, text.slice(end)];
  }
}

function invalid(pattern: string): Raised {
  const id = "System.ArgumentException";
  return raised(id, `parsing "${pattern}" - Invalid pattern.${unknownWords}`, { id });
}

interface Translated {
  readonly source: string;
  readonly flags: string;
  /** Contains `\w`, `\d` or `\b`, which are translated for Latin letters only. */
  readonly hasWords: boolean;
  /** Names of the groups, in order of their opening parentheses. Undefined for numbered groups. */
  readonly names: readonly (string | undefined)[];
  /** Groups may differ from .NET's: JavaScript resets groups at each repetition and skips empty repetitions. */
  readonly uncertain: boolean;
}

const tokens = new RegExp(
  [
    /\(\?<(?<name>[A-Za-z_]\w*)>/, // start of a named group
    /\(\?[:=!]|\(\??/,
    /\)(?<count>[*+?]|\{\d+(?:,\d*)?\})?/, // end of a group, with its quantifier
    /\[\^?(?:\]|(?!\]))(?:\\[^]|[^\\\]])*\]/, // a first `]` is a character
    /\\(?:x[\da-fA-F]{2}|[^])/,
    /[^]/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** .NET's `\s`, `\w` and `\d`, as the content of a character class. */
const classes: Readonly<Record<string, string>> = {
  s: "\\t-\\r\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000",
  w: "\\w\\xaa\\xb5\\xba\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u024f",
  d: "\\d",
};
const word = `[${classes["w"] ?? ""}]`;
const wordEnd = `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`;

function translate(pattern: string, ignoreCase: boolean): Translated {
  const [prefix = "", on = "", off] = /^\(\?(?:([ims]+)|-(i))\)/.exec(pattern) ?? [];
  const flags = on.includes("i") || (ignoreCase && off === undefined) ? "gi" : "g";
  const signs = new Map([
    [".", on.includes("s") ? "[^]" : "[^\\n]"],
    ["^", on.includes("m") ? "(?<![^\\n])" : "^"],
    ["$", on.includes("m") ? "(?![^\\n])" : "(?=\\n?(?![^]))"],
  ]);
  const names: (string | undefined)[] = [];
  const open: { readonly start: number; readonly groups: number }[] = [];
  let source = "";
  let uncertain = false;
  for (const { 0: token, groups = {} } of pattern.slice(prefix.length).matchAll(tokens)) {
    if (token === "[") {
      throw invalid(pattern);
    } else if (token === "(?") {
      throw new Unsupported(`( in the regular expression ${pattern}`);
    } else if (token.startsWith("(")) {
      open.push({ start: source.length, groups: names.length });
      const captures = !/[:=!]$/.test(token);
      if (captures) {
        names.push(groups["name"]);
      }
      source += captures ? "(" : token;
    } else if (token.startsWith(")")) {
      const group = open.pop();
      source += token;
      const { count } = groups;
      if (group && count && names.length > group.groups) {
        const inner = source.slice(group.start, -count.length);
        const own = /^\(\?[:=!]/.test(inner) ? 0 : 1;
        const isNested = names.length > group.groups + own;
        uncertain ||= (count !== "?" && isNested) || new RegExp(`^${inner}$`).test("");
      }
    } else if (token.startsWith("[")) {
      source += translateClass(token, pattern);
    } else {
      source += signs.get(token) ?? (token.startsWith("\\") ? escape(token, pattern) : token);
    }
  }
  return { source, flags, names, uncertain, hasWords: /\\[wdb]/i.test(pattern) };
}

function translateClass(written: string, pattern: string): string {
  const opening = written.startsWith("[^") ? "[^" : "[";
  const inside = written.slice(opening.length, -1);
  if (inside === "\\s\\S") return "[^]";
  if (/-\[|\\[swd]-.|-\\[swd]|\\[SWDb]/s.test(inside)) {
    throw new Unsupported(`${written} in the regular expression ${pattern}`);
  }
  const characters = inside
    .replace(/^\]/, "\\]")
    .replace(/\\(?:x..|[^])/g, (each) => classes[each.slice(1)] ?? escape(each, pattern));
  return `${opening}${characters}]`;
}

function escape(written: string, pattern: string): string {
  const letter = written.slice(1);
  const characters = classes[letter.toLowerCase()];
  if (characters !== undefined) {
    return `[${letter === letter.toLowerCase() ? "" : "^"}${characters}]`;
  }
  if (!/^(?:[nrtfvb]|\W|x.+)$/.test(letter)) {
    throw new Unsupported(`${written} in the regular expression ${pattern}`);
  }
  return letter === "b" ? wordEnd : written;
}

/** Translates a PowerShell wildcard pattern: `*`, `?` and sets in brackets. A backtick escapes. */
export function wildcard(pattern: string, ignoreCase = true): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    const set = character === "[" ? /^\[([^\]]+)\]/.exec(pattern.slice(at)) : null;
    if (character === "`" && at + 1 < pattern.length) {
      source += literal(pattern.charAt(++at));
    } else if (set) {
      source += `[${(set[1] ?? "").replace(/[\\^]/g, "\\$&")}]`;
      at += set[0].length - 1;
    } else {
      source += character === "*" ? ".*" : character === "?" ? "." : literal(character);
    }
  }
  if (/\[(?![^\]]+\])/.test(pattern.replace(/`[^]/g, "")))
    throw new Unsupported(`the wildcards ${pattern}`);
  try {
    return new RegExp(`^${source}$`, ignoreCase ? "is" : "s");
  } catch {
    throw new Unsupported(`the wildcards ${pattern}`);
  }
}

export function hasWildcard(text: string): boolean {
  return /[*?[]/.test(text);
}

function literal(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}
