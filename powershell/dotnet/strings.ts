/** System.String, System.Char and System.Text.RegularExpressions. */
import type { Shell } from "../commands.ts";
import { enumerated, toText } from "../convert.ts";
import { composite } from "../format.ts";
import { compile, escape, type Group, type Match, type Regex } from "../regex.ts";
import * as is from "../types.ts";
import { types, type Types } from "../types.ts";
import {
  NetObject,
  Unsupported,
  type Char,
  type EnumValue,
  type NetType,
  type PsArray,
  type ScriptBlock,
  type Value,
} from "../values.ts";
import { enumeration } from "./collections.ts";
import { badArgument, missingArgument, outOfRange } from "./exceptions.ts";

type Text = string | null;

types.define({
  name: "System.StringComparison",
  enumeration: {
    ...{ CurrentCulture: 0, CurrentCultureIgnoreCase: 1, InvariantCulture: 2 },
    ...{ InvariantCultureIgnoreCase: 3, Ordinal: 4, OrdinalIgnoreCase: 5 },
  },
});
types.define({
  name: "System.StringSplitOptions",
  enumeration: { None: 0, RemoveEmptyEntries: 1 },
});

function given(text: Text, parameter = "value"): string {
  if (text === null) {
    throw missingArgument(parameter);
  }
  return text;
}

/** A test of two texts, plainly or by a StringComparison: of cultures only the letters' case is known. */
const compared =
  (test: (self: string, other: string) => boolean) =>
  (self: string, other: Text, comparison?: EnumValue): boolean =>
    comparison?.name.endsWith("IgnoreCase")
      ? test(self.toUpperCase(), given(other).toUpperCase())
      : test(self, given(other));
const startsWith = compared((self, other) => self.startsWith(other));
const endsWith = compared((self, other) => self.endsWith(other));
const equals = compared((self, other) => self === other);

function substring(self: string, start: number, length = self.length - start): string {
  if (start < 0) {
    throw outOfRange("StartIndex cannot be less than zero.", "startIndex");
  }
  if (start > self.length) {
    throw outOfRange("startIndex cannot be larger than length of string.", "startIndex");
  }
  if (length < 0) {
    throw outOfRange("Length cannot be less than zero.", "length");
  }
  if (start + length > self.length) {
    throw outOfRange("Index and length must refer to a location within the string.", "length");
  }
  return self.slice(start, start + length);
}

/** Characters out of what stands for a char[]: texts of any length are taken apart, as 5.1 does it. */
function characters(list: PsArray): Set<string> {
  return new Set(list.items.flatMap((item) => toText(item).split("")));
}

const isSpace = (char: string) => char !== "\ufeff" && /[\s\u0085]/.test(char);

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

/** At each of the separators, of which the first that fits is taken. */
function split(self: string, separators: readonly string[], options?: EnumValue): PsArray {
  const pattern = separators.filter((each) => each !== "").map(escape);
  const parts = pattern.length === 0 ? [self] : self.split(new RegExp(pattern.join("|")));
  return is.array(
    options?.number === 1 ? parts.filter((part) => part !== "") : parts,
    types.get("string[]"),
  );
}

function splitAtCharacters(self: string, list: PsArray): PsArray {
  const set = characters(list);
  return set.size > 0
    ? split(self, [...set])
    : is.array(self.split(/[^\S\ufeff]|\u0085/), list.type);
}

function pad(self: string, width: number, char: Char | undefined, atStart: boolean): string {
  if (width < 0) {
    throw outOfRange("Non-negative number required.", "totalWidth");
  }
  return atStart ? self.padStart(width, char?.text) : self.padEnd(width, char?.text);
}
const padLeft = (self: string, width: number, char?: Char) => pad(self, width, char, true);
const padRight = (self: string, width: number, char?: Char) => pad(self, width, char, false);

function replace(self: string, old: Text, by: Text): string {
  if (given(old, "oldValue") === "") {
    throw badArgument("String cannot be of zero length.", "oldValue");
  }
  return self.replaceAll(old ?? "", () => by ?? "");
}

function remove(self: string, start: number, count = self.length - start): string {
  if (start < 0 || count < 0 || start + count > self.length) {
    throw outOfRange("Index and count must refer to a location within the string.", "count");
  }
  return self.slice(0, start) + self.slice(start + count);
}

function join(separator: Text, items: readonly Value[]): string {
  return items.map(toText).join(separator ?? "");
}

/** Character by character: .NET makes no text longer, as JavaScript does of a sharp s. */
function changeCase(text: string, change: (char: string) => string): string {
  return text.replace(/[^]/g, (char) => (change(char).length === 1 ? change(char) : char));
}
const lower = (self: string) => changeCase(self, (char) => char.toLowerCase());
const upper = (self: string) => changeCase(self, (char) => char.toUpperCase());

types.extend("System.String", {
  properties: { Length: (self: string) => self.length },
  methods: {
    "ToString()": (self: string) => self,
    "Substring(int)": substring,
    "Substring(int, int)": substring,
    "Trim()": (self: string) => trim(self, "both"),
    "Trim(params string[])": (self: string, list: PsArray) => trim(self, "both", list),
    "TrimStart()": (self: string) => trim(self, "start"),
    "TrimStart(params string[])": (self: string, list: PsArray) => trim(self, "start", list),
    "TrimEnd()": (self: string) => trim(self, "end"),
    "TrimEnd(params string[])": (self: string, list: PsArray) => trim(self, "end", list),
    "Replace(string, string)": replace,
    "Split(params string[])": splitAtCharacters,
    "Split(string[], System.StringSplitOptions)": (self: string, list: PsArray, by: EnumValue) =>
      split(self, list.items.map(toText), by),
    "StartsWith(string)": startsWith,
    "StartsWith(string, System.StringComparison)": startsWith,
    "EndsWith(string)": endsWith,
    "EndsWith(string, System.StringComparison)": endsWith,
    "Contains(string)": (self: string, text: Text) => self.includes(given(text)),
    "IndexOf(string)": (self: string, text: Text) => self.indexOf(given(text)),
    "LastIndexOf(string)": (self: string, text: Text) => self.lastIndexOf(given(text)),
    "PadLeft(int)": padLeft,
    "PadLeft(int, char)": padLeft,
    "PadRight(int)": padRight,
    "PadRight(int, char)": padRight,
    "Remove(int)": remove,
    "Remove(int, int)": remove,
    "ToLower()": lower,
    "ToLowerInvariant()": lower,
    "ToUpper()": upper,
    "ToUpperInvariant()": upper,
    "ToCharArray()": (self: string) => is.array(self.split("").map(is.toChar), types.get("char[]")),
    "GetEnumerator()": (self: string) => enumeration(self.split("").map(is.toChar)),
    "Equals(object)": (self: string, other: Value) => self === other,
    "Equals(string, System.StringComparison)": equals,
  },
  staticProperties: { Empty: () => "" },
  staticMethods: {
    "IsNullOrEmpty(string)": (_: null, text: Text) => (text ?? "") === "",
    "IsNullOrWhiteSpace(string)": (_: null, text: Text) => trim(text ?? "", "both") === "",
    "Join(string, params object[])": (_: null, separator: Text, list: PsArray) => {
      const [only] = list.items;
      const inner = list.items.length === 1 && only !== undefined ? enumerated(only) : undefined;
      return join(separator, inner ?? list.items);
    },
    "Concat(params object[])": (_: null, list: PsArray) => join("", list.items),
    "Format(string, params object[])": (_: null, format: Text, list: PsArray) =>
      composite(given(format, "format"), list.items, toText),
  },
  constructors: {
    "(char, int)": (_: null, char: Char, count: number) => char.text.repeat(count),
    "(char[])": (_: null, list: PsArray) => join("", list.items),
  },
});

const charTest = (expression: RegExp) => (_: null, char: Char) => expression.test(char.text);
types.extend("System.Char", {
  methods: { "ToString()": (self: Char) => self.text },
  staticMethods: {
    "IsDigit(char)": charTest(/\p{Nd}/u),
    "IsLetter(char)": charTest(/\p{L}/u),
    "IsLetterOrDigit(char)": charTest(/[\p{L}\p{Nd}]/u),
    "IsUpper(char)": charTest(/\p{Lu}/u),
    "IsLower(char)": charTest(/\p{Ll}/u),
    "IsWhiteSpace(char)": (_: null, char: Char) => isSpace(char.text),
  },
});

// Regular expressions

interface Capture {
  readonly group: Group;
}
interface MatchState extends Capture {
  readonly match: Match | undefined;
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
  // 5.1 knows no name of a group; what it matched before the last time is not kept here.
  unsupported: ["Captures"],
});
const groups = types.define({
  name: "System.Text.RegularExpressions.GroupCollection",
  enumerate: (self: NetObject<readonly Group[]>) =>
    self.state.map((group) => new NetObject(groupType, { group })),
  properties: { Count: (self: NetObject<readonly Group[]>) => self.state.length },
  methods: {
    "get_Item(string)": ({ state }: NetObject<readonly Group[]>, name: string) => {
      const none = { name, success: false, value: "", index: 0 };
      const group = state.find((each) => each.name === name) ?? none;
      return new NetObject(groupType, { group });
    },
  },
});

const matchType: NetType = types.define({
  name: "System.Text.RegularExpressions.Match",
  base: "System.Text.RegularExpressions.Group",
  properties: {
    Groups: (self: NetObject<MatchState>) => new NetObject(groups, self.state.match?.groups ?? []),
  },
});
const matches = types.define({
  name: "System.Text.RegularExpressions.MatchCollection",
  enumerate: (self: NetObject<Value[]>) => self.state,
  properties: { Count: (self: NetObject<Value[]>) => self.state.length },
});

/** A Match; of none, one without success. */
export function matchObject(match: Match | undefined): NetObject<MatchState> {
  const group = match?.groups[0] ?? { name: "0", success: false, value: "", index: 0 };
  return new NetObject(matchType, { group, match });
}

types.define({
  name: "System.Text.RegularExpressions.RegexOptions",
  enumeration: {
    ...{ None: 0, IgnoreCase: 1, Multiline: 2, ExplicitCapture: 4, Compiled: 8, Singleline: 16 },
    ...{ IgnorePatternWhitespace: 32, RightToLeft: 64, ECMAScript: 256, CultureInvariant: 512 },
  },
});

function newRegex(pattern: Text, options?: EnumValue): Regex {
  const flags = options?.number ?? 0;
  if ((flags & ~(1 | 2 | 8 | 16 | 512)) !== 0) {
    throw new Unsupported(`regular expressions with ${options?.name ?? ""}`);
  }
  const has = (flag: number) => (flags & flag) !== 0;
  return compile(given(pattern, "pattern"), {
    ignoreCase: has(1),
    multiline: has(2),
    singleline: has(16),
  });
}

/** Regex, whose Replace runs blocks. */
export function defineRegexTypes(set: Types, shell: Pick<Shell, "evaluate">): void {
  const replaceBy = async (regex: Regex, text: string, block: ScriptBlock) => {
    const results: string[] = [];
    for (const match of regex.matches(text)) {
      const args = [matchObject(match)];
      results.push(toText(await shell.evaluate(block, { args, child: true })));
    }
    return regex.replaceBy(text, () => results.shift() ?? "");
  };
  type Code = (self: Regex, text: string, ...rest: never[]) => Value | Promise<Value>;
  /** What follows the text, and what is done. */
  const members: readonly (readonly [name: string, more: string, code: Code])[] = [
    ["IsMatch", "", (self, text) => self.match(text) !== undefined],
    ["Match", "", (self, text) => matchObject(self.match(text))],
    ["Matches", "", (self, text) => new NetObject(matches, self.matches(text).map(matchObject))],
    ["Split", "", (self, text) => is.array(self.split(text), types.get("string[]"))],
    ["Replace", ", string", (self, text, by: Text) => self.replace(text, given(by, "replacement"))],
    ["Replace", ", scriptblock", replaceBy],
  ];
  const options = "System.Text.RegularExpressions.RegexOptions";
  const regexType: NetType = set.define({
    name: "System.Text.RegularExpressions.Regex",
    aliases: ["regex"],
    methods: Object.fromEntries(
      members.map(([name, more, code]) => [
        `${name}(string${more})`,
        (self: NetObject<Regex>, text: Text, ...rest: never[]) =>
          code(self.state, given(text, "input"), ...rest),
      ]),
    ),
    staticMethods: {
      "Escape(string)": (_: null, text: Text) => escape(given(text, "str")),
      ...Object.fromEntries(
        members.flatMap(([name, more, code]) => [
          [
            `${name}(string, string${more})`,
            (_: null, text: Text, pattern: Text, ...rest: never[]) =>
              code(newRegex(pattern), given(text, "input"), ...rest),
          ],
          [
            `${name}(string, string${more}, ${options})`,
            (_: null, text: Text, pattern: Text, ...rest: never[]) =>
              code(newRegex(pattern, rest.at(-1)), given(text, "input"), ...rest),
          ],
        ]),
      ),
    },
    constructors: {
      "(string)": (_: null, pattern: Text) => new NetObject(regexType, newRegex(pattern)),
      [`(string, ${options})`]: (_: null, pattern: Text, flags: EnumValue) =>
        new NetObject(regexType, newRegex(pattern, flags)),
    },
    unsupported: ["Options", "MatchTimeout", "RightToLeft"],
  });
}
