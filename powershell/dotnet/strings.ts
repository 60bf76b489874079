/** System.String, System.Char and System.Text.RegularExpressions. */
import type { Shell } from "../commands.ts";
import { enumerated, toText } from "../convert.ts";
import { composite } from "../format.ts";
import { compile, escape, type Group, type Match, type Regex } from "../regex.ts";
import * as is from "../types.ts";
import { raised, types, type Types } from "../types.ts";
import {
  Char,
  type EnumValue,
  NetObject,
  type NetType,
  type PsArray,
  ScriptBlock,
  Unsupported,
  type Value,
} from "../values.ts";
import { enumeration } from "./collections.ts";
import { badArgument, missingArgument, outOfRange } from "./numbers.ts";

types.define({
  name: "System.StringComparison",
  enumeration: {
    CurrentCulture: 0,
    CurrentCultureIgnoreCase: 1,
    InvariantCulture: 2,
    InvariantCultureIgnoreCase: 3,
    Ordinal: 4,
    OrdinalIgnoreCase: 5,
  },
});
types.define({
  name: "System.StringSplitOptions",
  enumeration: { None: 0, RemoveEmptyEntries: 1 },
});

/** A text as it is compared: cultures beyond the case of letters make no difference here. */
function folded(text: string, comparison: EnumValue | null = null): string {
  return comparison?.name.endsWith("IgnoreCase") ? text.toUpperCase() : text;
}

function given(text: string | null, parameter: string): string {
  if (text === null) {
    throw missingArgument(parameter);
  }
  return text;
}

function substring(self: string, start: number, length?: number): string {
  if (start < 0) {
    throw outOfRange("StartIndex cannot be less than zero.", "startIndex");
  }
  if (start > self.length) {
    throw outOfRange("startIndex cannot be larger than length of string.", "startIndex");
  }
  if (length !== undefined && length < 0) {
    throw outOfRange("Length cannot be less than zero.", "length");
  }
  if (length !== undefined && start + length > self.length) {
    throw outOfRange("Index and length must refer to a location within the string.", "length");
  }
  return length === undefined ? self.slice(start) : self.slice(start, start + length);
}

/** Characters out of what stands for a char[]: texts of any length are taken apart, as 5.1 does it. */
function characters(list: PsArray): Set<string> {
  return new Set(list.items.flatMap((item) => toText(item).split("")));
}

const space = /[\s\u0085\u200b]/;
const isSpace = (char: string) => space.test(char) && char !== "\u200b" && char !== "\ufeff";

function trim(self: string, ends: "both" | "start" | "end", list?: PsArray): string {
  const set = list && list.items.length > 0 ? characters(list) : undefined;
  const drops = (char: string) => (set ? set.has(char) : isSpace(char));
  let [start, end] = [0, self.length];
  while (ends !== "end" && start < end && drops(self.charAt(start))) {
    start += 1;
  }
  while (ends !== "start" && end > start && drops(self.charAt(end - 1))) {
    end -= 1;
  }
  return self.slice(start, end);
}

/** By whole texts, or by single characters where `separators` are those. */
function split(
  self: string,
  separators: readonly string[],
  limit: number,
  dropEmpty: boolean,
): PsArray {
  const parts: string[] = [];
  let start = 0;
  let at = 0;
  while (at < self.length && (limit === 0 || parts.length < limit - 1)) {
    const separator = separators.find((each) => each !== "" && self.startsWith(each, at));
    if (separator === undefined) {
      at += 1;
      continue;
    }
    if (!dropEmpty || at > start) {
      parts.push(self.slice(start, at));
    }
    at += separator.length;
    start = at;
  }
  if (!dropEmpty || start < self.length) {
    parts.push(self.slice(start));
  }
  return is.array(parts, types.get("string[]"));
}

function separatorsOf(list: PsArray): string[] {
  const set = [...characters(list)];
  return set.length > 0 ? set : [" ", "\t", "\n", "\r", "\v", "\f", "\u0085", "\u00a0"];
}

const dropsEmpty = (options: EnumValue) => options.number === 1;

function remove(self: string, start: number, count = self.length - start): string {
  if (start < 0 || count < 0 || start + count > self.length) {
    throw outOfRange("Index and count must refer to a location within the string.", "count");
  }
  return self.slice(0, start) + self.slice(start + count);
}

function indexOf(
  self: string,
  text: string | null,
  start = 0,
  comparison: EnumValue | null = null,
): number {
  if (start < 0 || start > self.length) {
    throw outOfRange(
      "Index was out of range. Must be non-negative and less than the size of the collection.",
      "startIndex",
    );
  }
  return folded(self, comparison).indexOf(folded(given(text, "value"), comparison), start);
}

function pad(self: string, width: number, char: string, atStart: boolean): string {
  if (width < 0) {
    throw outOfRange("Non-negative number required.", "totalWidth");
  }
  return atStart ? self.padStart(width, char) : self.padEnd(width, char);
}

function replace(self: string, old: string | null, by: string | null): string {
  if (given(old, "oldValue") === "") {
    throw badArgument("String cannot be of zero length.", "oldValue");
  }
  return self.replaceAll(old ?? "", () => by ?? "");
}

/** By code units, as Ordinal does; the order by language is that of the operators. */
function order(left: string | null, right: string | null): number {
  const [first, second] = [left ?? "", right ?? ""];
  return left === null || right === null
    ? Number(left !== null) - Number(right !== null)
    : first < second
      ? -1
      : Number(first > second);
}

const byLanguage = new Intl.Collator("en", { caseFirst: "lower" });
const byLanguageWithoutCase = new Intl.Collator("en", { sensitivity: "accent" });

function join(separator: string | null, items: readonly Value[]): string {
  return items.map(toText).join(separator ?? "");
}

types.extend("System.String", {
  properties: { Length: (self: string) => self.length },
  methods: {
    "ToString()": (self: string) => self,
    "ToString(System.IFormatProvider)": (self: string) => self,
    "Clone()": (self: string) => self,
    "get_Chars(int)": (self: string, index: number) => charAt(self, index),
    "Chars(int)": (self: string, index: number) => charAt(self, index),
    "Substring(int)": (self: string, start: number) => substring(self, start),
    "Substring(int, int)": substring,
    "Trim()": (self: string) => trim(self, "both"),
    "Trim(params string[])": (self: string, list: PsArray) => trim(self, "both", list),
    "TrimStart()": (self: string) => trim(self, "start"),
    "TrimStart(params string[])": (self: string, list: PsArray) => trim(self, "start", list),
    "TrimEnd()": (self: string) => trim(self, "end"),
    "TrimEnd(params string[])": (self: string, list: PsArray) => trim(self, "end", list),
    "Replace(string, string)": replace,
    "Split(params string[])": (self: string, list: PsArray) =>
      split(self, separatorsOf(list), 0, false),
    "Split(char[], int)": (self: string, list: PsArray, limit: number) =>
      split(self, separatorsOf(list), limit, false),
    "Split(char[], System.StringSplitOptions)": (self: string, list: PsArray, options: EnumValue) =>
      split(self, separatorsOf(list), 0, dropsEmpty(options)),
    "Split(string[], System.StringSplitOptions)": (
      self: string,
      list: PsArray,
      options: EnumValue,
    ) => split(self, list.items.map(toText), 0, dropsEmpty(options)),
    "Split(string[], int, System.StringSplitOptions)": (
      self: string,
      list: PsArray,
      limit: number,
      options: EnumValue,
    ) => split(self, list.items.map(toText), limit, dropsEmpty(options)),
    "StartsWith(string)": (self: string, text: string | null) =>
      self.startsWith(given(text, "value")),
    "StartsWith(string, System.StringComparison)": (
      self: string,
      text: string | null,
      comparison: EnumValue,
    ) => folded(self, comparison).startsWith(folded(given(text, "value"), comparison)),
    "EndsWith(string)": (self: string, text: string | null) => self.endsWith(given(text, "value")),
    "EndsWith(string, System.StringComparison)": (
      self: string,
      text: string | null,
      comparison: EnumValue,
    ) => folded(self, comparison).endsWith(folded(given(text, "value"), comparison)),
    "Contains(string)": (self: string, text: string | null) => self.includes(given(text, "value")),
    "IndexOf(string)": (self: string, text: string | null) => indexOf(self, text),
    "IndexOf(string, int)": (self: string, text: string | null, start: number) =>
      indexOf(self, text, start),
    "IndexOf(string, System.StringComparison)": (
      self: string,
      text: string | null,
      comparison: EnumValue,
    ) => indexOf(self, text, 0, comparison),
    "IndexOf(string, int, System.StringComparison)": indexOf,
    "IndexOfAny(char[])": (self: string, list: PsArray) =>
      self.split("").findIndex((char) => characters(list).has(char)),
    "LastIndexOf(string)": (self: string, text: string | null) =>
      self.lastIndexOf(given(text, "value")),
    "PadLeft(int)": (self: string, width: number) => pad(self, width, " ", true),
    "PadLeft(int, char)": (self: string, width: number, char: Char) =>
      pad(self, width, char.text, true),
    "PadRight(int)": (self: string, width: number) => pad(self, width, " ", false),
    "PadRight(int, char)": (self: string, width: number, char: Char) =>
      pad(self, width, char.text, false),
    "Insert(int, string)": (self: string, at: number, text: string) =>
      substring(self, 0, at) + text + self.slice(at),
    "Remove(int)": (self: string, start: number) => remove(self, start),
    "Remove(int, int)": remove,
    "ToLower()": (self: string) => lower(self),
    "ToLowerInvariant()": (self: string) => lower(self),
    "ToUpper()": (self: string) => upper(self),
    "ToUpperInvariant()": (self: string) => upper(self),
    "ToCharArray()": (self: string) => is.array(toChars(self), types.get("char[]")),
    "ToCharArray(int, int)": (self: string, start: number, length: number) =>
      is.array(toChars(substring(self, start, length)), types.get("char[]")),
    "GetEnumerator()": (self: string) => enumeration(toChars(self)),
    "CompareTo(string)": (self: string, other: string | null) =>
      other === null ? 1 : Math.sign(byLanguage.compare(self, other)),
    "Equals(object)": (self: string, other: Value) => self === other,
    "Equals(string, System.StringComparison)": (
      self: string,
      other: string | null,
      comparison: EnumValue,
    ) => other !== null && folded(self, comparison) === folded(other, comparison),
  },
  staticProperties: { Empty: () => "" },
  staticMethods: {
    "IsNullOrEmpty(string)": (_: null, text: string | null) => text === null || text === "",
    "IsNullOrWhiteSpace(string)": (_: null, text: string | null) => trim(text ?? "", "both") === "",
    "Join(string, params object[])": (_: null, separator: string | null, list: PsArray) => {
      const [only] = list.items;
      const inner = list.items.length === 1 && only !== undefined ? enumerated(only) : undefined;
      return join(separator, inner ?? list.items);
    },
    "Concat(params object[])": (_: null, list: PsArray) => join("", list.items),
    "Format(string, params object[])": (_: null, format: string | null, list: PsArray) =>
      composite(given(format, "format"), list.items, toText),
    "Compare(string, string)": (_: null, left: string | null, right: string | null) =>
      Math.sign(byLanguage.compare(left ?? "", right ?? "")),
    "Compare(string, string, bool)": (
      _: null,
      left: string | null,
      right: string | null,
      ignoreCase: boolean,
    ) =>
      Math.sign((ignoreCase ? byLanguageWithoutCase : byLanguage).compare(left ?? "", right ?? "")),
    "Compare(string, string, System.StringComparison)": (
      _: null,
      left: string | null,
      right: string | null,
      comparison: EnumValue,
    ) =>
      comparison.name.startsWith("Ordinal")
        ? order(
            left === null ? null : folded(left, comparison),
            right === null ? null : folded(right, comparison),
          )
        : Math.sign(
            (comparison.name.endsWith("IgnoreCase") ? byLanguageWithoutCase : byLanguage).compare(
              left ?? "",
              right ?? "",
            ),
          ),
    "CompareOrdinal(string, string)": (_: null, left: string | null, right: string | null) =>
      order(left, right),
    "Equals(string, string)": (_: null, left: string | null, right: string | null) =>
      left === right,
    "Equals(string, string, System.StringComparison)": (
      _: null,
      left: string | null,
      right: string | null,
      comparison: EnumValue,
    ) =>
      left === null || right === null
        ? left === right
        : folded(left, comparison) === folded(right, comparison),
  },
  constructors: {
    "(char, int)": (_: null, char: Char, count: number) => char.text.repeat(count),
    "(char[])": (_: null, list: PsArray) => join("", list.items),
    "(char[], int, int)": (_: null, list: PsArray, start: number, length: number) =>
      join("", list.items).slice(start, start + length),
  },
  unsupported: [
    "Normalize",
    "IsNormalized",
    "LastIndexOfAny",
    "CopyTo",
    "GetTypeCode",
    "TrimEx",
    "EnumerateRunes",
  ],
});

function charAt(self: string, index: number): Char {
  if (index < 0 || index >= self.length) {
    throw raised("System.IndexOutOfRangeException", "Index was outside the bounds of the array.", {
      hresult: -2146233080,
    });
  }
  return is.toChar(self.charAt(index));
}

function toChars(text: string): Char[] {
  return text.split("").map(is.toChar);
}

/** Character by character: .NET makes no text longer, as JavaScript does of a sharp s. */
function lower(text: string): string {
  return text
    .replace(/[^\0-\x7f]/g, (char) => sameLength(char, char.toLowerCase()))
    .replace(/[A-Z]/g, (char) => char.toLowerCase());
}

function upper(text: string): string {
  return text
    .replace(/[^\0-\x7f]/g, (char) => sameLength(char, char.toUpperCase()))
    .replace(/[a-z]/g, (char) => char.toUpperCase());
}

function sameLength(char: string, changed: string): string {
  return changed.length === char.length ? changed : char;
}

const charTest = (expression: RegExp) => (_: null, char: Char) => expression.test(char.text);
types.extend("System.Char", {
  methods: {
    "ToString()": (self: Char) => self.text,
    "CompareTo(char)": (self: Char, other: Char) => self.code - other.code,
  },
  staticProperties: {
    MaxValue: () => new Char(is.char, 0xffff),
    MinValue: () => new Char(is.char, 0),
  },
  staticMethods: {
    "IsDigit(char)": charTest(/\p{Nd}/u),
    "IsNumber(char)": charTest(/\p{N}/u),
    "IsLetter(char)": charTest(/\p{L}/u),
    "IsLetterOrDigit(char)": charTest(/[\p{L}\p{Nd}]/u),
    "IsUpper(char)": charTest(/\p{Lu}/u),
    "IsLower(char)": charTest(/\p{Ll}/u),
    "IsPunctuation(char)": charTest(/\p{P}/u),
    "IsControl(char)": charTest(/\p{Cc}/u),
    "IsWhiteSpace(char)": (_: null, char: Char) => isSpace(char.text),
    "ToUpper(char)": (_: null, char: Char) => is.toChar(upper(char.text)),
    "ToLower(char)": (_: null, char: Char) => is.toChar(lower(char.text)),
    "ToUpperInvariant(char)": (_: null, char: Char) => is.toChar(upper(char.text)),
    "ToLowerInvariant(char)": (_: null, char: Char) => is.toChar(lower(char.text)),
    "ConvertFromUtf32(int)": (_: null, code: number) => String.fromCodePoint(code),
  },
});

// Regular expressions

interface Capture {
  readonly group: Group;
}
interface MatchState extends Capture {
  readonly match: Match | undefined;
  readonly text: string;
  readonly regex: Regex;
}

types.define({
  name: "System.Text.RegularExpressions.Capture",
  properties: {
    Value: (self: NetObject<Capture>) => self.state.group.value,
    Index: (self: NetObject<Capture>) => self.state.group.index,
    Length: (self: NetObject<Capture>) => self.state.group.value.length,
  },
  methods: { "ToString()": (self: NetObject<Capture>) => self.state.group.value },
});
const groupType = types.define({
  name: "System.Text.RegularExpressions.Group",
  base: "System.Text.RegularExpressions.Capture",
  properties: { Success: (self: NetObject<Capture>) => self.state.group.success },
  // A group's name is there in later .NET only, and what it matched before the last time is not kept.
  unsupported: ["Captures", "Name"],
});
const groups = types.define({
  name: "System.Text.RegularExpressions.GroupCollection",
  enumerate: (self: NetObject<readonly Group[]>) =>
    self.state.map((group) => new NetObject(groupType, { group })),
  properties: { Count: (self: NetObject<readonly Group[]>) => self.state.length },
  methods: {
    "get_Item(string)": (self: NetObject<readonly Group[]>, name: string) =>
      groupNamed(self.state, name),
    "get_Item(int)": (self: NetObject<readonly Group[]>, number: number) =>
      groupNamed(self.state, String(number)),
  },
});

function groupNamed(list: readonly Group[], name: string): Value {
  const group = list.find((each) => each.name === name) ?? {
    name,
    success: false,
    value: "",
    index: 0,
  };
  return new NetObject(groupType, { group });
}

const matchType: NetType = types.define({
  name: "System.Text.RegularExpressions.Match",
  base: "System.Text.RegularExpressions.Group",
  properties: {
    Groups: (self: NetObject<MatchState>) => new NetObject(groups, self.state.match?.groups ?? []),
  },
  methods: {
    "NextMatch()": ({ state: { match, text, regex } }: NetObject<MatchState>) => {
      const end = match ? match.index + Math.max(1, match.value.length) : Infinity;
      return matchObject(end > text.length ? undefined : regex.match(text, end), text, regex);
    },
    "Result(string)": () => {
      throw new Unsupported("Result of a match");
    },
  },
});
const matches = types.define({
  name: "System.Text.RegularExpressions.MatchCollection",
  enumerate: (self: NetObject<Value[]>) => self.state,
  properties: { Count: (self: NetObject<Value[]>) => self.state.length },
});

export function matchObject(match: Match | undefined, text: string, regex: Regex): NetObject<MatchState> {
  const group = match?.groups[0] ?? { name: "0", success: false, value: "", index: 0 };
  return new NetObject(matchType, { group, match, text, regex });
}

types.define({
  name: "System.Text.RegularExpressions.RegexOptions",
  enumeration: {
    ...{ None: 0, IgnoreCase: 1, Multiline: 2, ExplicitCapture: 4, Compiled: 8, Singleline: 16 },
    ...{ IgnorePatternWhitespace: 32, RightToLeft: 64, ECMAScript: 256, CultureInvariant: 512 },
  },
});

interface RegexState {
  readonly pattern: string;
  readonly regex: Regex;
}

function newRegex(pattern: string | null, options?: EnumValue): RegexState {
  const flags = options?.number ?? 0;
  if ((flags & ~(1 | 2 | 8 | 16 | 512)) !== 0) {
    throw new Unsupported(`regular expressions with ${options?.name ?? ""}`);
  }
  const text = given(pattern, "pattern");
  const has = (flag: number) => (flags & flag) !== 0;
  return {
    pattern: text,
    regex: compile(text, { ignoreCase: has(1), multiline: has(2), singleline: has(16) }),
  };
}

/** Regex, whose Replace runs blocks. */
export function defineRegexTypes(set: Types, shell: Pick<Shell, "evaluate">): void {
  type Self = NetObject<RegexState>;
  const replaceBy = async ({ regex }: RegexState, text: string, block: ScriptBlock) => {
    const results: string[] = [];
    for (const match of regex.matches(text)) {
      results.push(
        toText(
          await shell.evaluate(block, { args: [matchObject(match, text, regex)], child: true }),
        ),
      );
    }
    return regex.replaceBy(text, () => results.shift() ?? "");
  };
  const isMatch = ({ regex }: RegexState, text: string) => regex.match(text) !== undefined;
  const match = ({ regex }: RegexState, text: string) =>
    matchObject(regex.match(text), text, regex);
  const all = ({ regex }: RegexState, text: string) =>
    new NetObject(
      matches,
      regex.matches(text).map((each) => matchObject(each, text, regex)),
    );
  const replaced = ({ regex }: RegexState, text: string, by: string | null) =>
    regex.replace(text, given(by, "replacement"));
  const parted = ({ regex }: RegexState, text: string, limit = 0) =>
    is.array(regex.split(text, limit), types.get("string[]"));

  const members: Record<
    string,
    (self: RegexState, text: string, ...rest: never[]) => Value | Promise<Value>
  > = {
    "IsMatch()": isMatch,
    "Match()": match,
    "Matches()": all,
    "Replace(string)": replaced,
    "Replace(scriptblock)": replaceBy,
    "Split()": parted,
  };
  const regexType: NetType = set.define({
    name: "System.Text.RegularExpressions.Regex",
    aliases: ["regex"],
    methods: {
      ...Object.fromEntries(
        Object.entries(members).map(([signature, code]) => [
          // The text comes first.
          signature.replace("(", "(string, ").replace(", )", ")"),
          (self: Self, text: string | null, ...rest: never[]) =>
            code(self.state, given(text, "input"), ...rest),
        ]),
      ),
      "Split(string, int)": (self: Self, text: string, limit: number) =>
        parted(self.state, text, limit),
      "Replace(string, string, int)": () => {
        throw new Unsupported("Regex.Replace with a number of times");
      },
      "ToString()": (self: Self) => self.state.pattern,
    },
    staticMethods: {
      "Escape(string)": (_: null, text: string | null) => escape(given(text, "str")),
      ...Object.fromEntries(
        Object.entries(members).flatMap(([signature, code]) => {
          // The text and the pattern come first; options may come last.
          const plain = signature.replace("(", "(string, string, ").replace(", )", ")");
          const run = (_: null, text: string | null, pattern: string | null, ...rest: never[]) =>
            code(newRegex(pattern), given(text, "input"), ...rest);
          const runWith = (
            _: null,
            text: string | null,
            pattern: string | null,
            ...rest: never[]
          ) => code(newRegex(pattern, rest.at(-1)), given(text, "input"), ...rest.slice(0, -1));
          return [
            [plain, run],
            [plain.replace(")", ", System.Text.RegularExpressions.RegexOptions)"), runWith],
          ];
        }),
      ),
    },
    constructors: {
      "(string)": (_: null, pattern: string | null) => new NetObject(regexType, newRegex(pattern)),
      "(string, System.Text.RegularExpressions.RegexOptions)": (
        _: null,
        pattern: string | null,
        options: EnumValue,
      ) => new NetObject(regexType, newRegex(pattern, options)),
    },
    unsupported: ["Options", "GetGroupNames", "GetGroupNumbers", "MatchTimeout", "RightToLeft"],
  });
}
