/** System.String and System.Text.RegularExpressions. */
import type { Shell } from "../commands.ts";
import { toText } from "../convert.ts";
import { compile, type Group, type Match } from "../regex.ts";
import * as is from "../types.ts";
import { types, type Types } from "../types.ts";
import {
  NetObject,
  Unsupported,
  type Char,
  type NetType,
  type PsArray,
  type ScriptBlock,
  type Value,
} from "../values.ts";
import { badArgument, outOfRange } from "./exceptions.ts";
import { given } from "./numbers.ts";

type Text = string | null;

function substring(self: string, start: number, length = self.length - start): string {
  if (start < 0 || length < 0 || start + length > self.length) {
    throw outOfRange("Index and length must refer to a location within the string.", "length");
  }
  return self.slice(start, start + length);
}

/** Characters out of what stands for a char[]: texts of any length are taken apart, as 5.1 does it. */
function characters(list: PsArray): (char: string) => boolean {
  const set = new Set(list.items.flatMap((item) => toText(item).split("")));
  if (set.size === 0) {
    throw new Unsupported("characters to trim or split at that are none");
  }
  return (char) => set.has(char);
}

const isSpace = (char: string) => char !== "\ufeff" && /[\s\u0085]/.test(char);

function trimEnd(self: string, drops: (char: string) => boolean): string {
  let end = self.length;
  while (end > 0 && drops(self.charAt(end - 1))) {
    end -= 1;
  }
  return self.slice(0, end);
}

function trim(self: string): string {
  const first = self.split("").findIndex((char) => !isSpace(char));
  return first < 0 ? "" : trimEnd(self.slice(first), isSpace);
}

function split(self: string, list: PsArray): PsArray {
  const isSeparator = characters(list);
  const parts: Value[] = [];
  let start = 0;
  self.split("").forEach((char, at) => {
    if (isSeparator(char)) {
      parts.push(self.slice(start, at));
      start = at + 1;
    }
  });
  return is.array([...parts, self.slice(start)], types.get("string[]"));
}

function replace(self: string, old: Text, by: Text): string {
  if (given(old, "oldValue") === "") {
    throw badArgument("String cannot be of zero length.", "oldValue");
  }
  return self.replaceAll(old ?? "", () => by ?? "");
}

/** Character by character: .NET makes no text longer, as JavaScript does of a sharp s. */
function changeCase(text: string, change: (char: string) => string): string {
  return text.replace(/[^]/g, (char) => (change(char).length === 1 ? change(char) : char));
}

types.extend("System.String", {
  properties: { Length: (self: string) => self.length },
  methods: {
    "Substring(int)": substring,
    "Substring(int, int)": substring,
    "Trim()": trim,
    "TrimEnd()": (self: string) => trimEnd(self, isSpace),
    "TrimEnd(params string[])": (self: string, list: PsArray) => trimEnd(self, characters(list)),
    "Replace(string, string)": replace,
    "Split(params string[])": split,
    "StartsWith(string)": (self: string, text: Text) => self.startsWith(given(text, "value")),
    "EndsWith(string)": (self: string, text: Text) => self.endsWith(given(text, "value")),
    "Contains(string)": (self: string, text: Text) => self.includes(given(text, "value")),
    "PadLeft(int, char)": (self: string, width: number, char: Char) =>
      self.padStart(width, char.text),
    "ToLowerInvariant()": (self: string) => changeCase(self, (char) => char.toLowerCase()),
    "ToUpperInvariant()": (self: string) => changeCase(self, (char) => char.toUpperCase()),
    "ToCharArray()": (self: string) => is.array(self.split("").map(is.toChar), types.get("char[]")),
  },
  staticMethods: { "IsNullOrEmpty(string)": (_: null, text: Text) => (text ?? "") === "" },
});

// Regular expressions

type GroupObject = NetObject<{ readonly group: Group; readonly groups: readonly Group[] }>;
type GroupList = NetObject<readonly Group[]>;

const namespace = "System.Text.RegularExpressions";
const groupType = types.define({
  name: `${namespace}.Group`,
  properties: {
    Value: (self: GroupObject) => self.state.group.value,
    Success: (self: GroupObject) => self.state.group.success,
  },
  methods: { "ToString()": (self: GroupObject) => self.state.group.value },
});
const groupCollection = types.define({
  name: `${namespace}.GroupCollection`,
  enumerate: (self: GroupList) =>
    self.state.map((group) => new NetObject(groupType, { group, groups: [] })),
  methods: {
    "get_Item(string)": ({ state: groups }: GroupList, name: string) => {
      const group = groups.find((each) => each.name === name);
      if (!group) {
        throw new Unsupported(`a group ${name}, which the regular expression has not`);
      }
      return new NetObject(groupType, { group, groups: [] });
    },
  },
});
const matchType: NetType = types.define({
  name: `${namespace}.Match`,
  base: `${namespace}.Group`,
  properties: { Groups: (self: GroupObject) => new NetObject(groupCollection, self.state.groups) },
});

export function matchObject({ groups }: Match): NetObject {
  return new NetObject(matchType, { group: groups[0], groups });
}

/** Regex, whose Replace runs blocks. */
export function defineRegexTypes(set: Types, shell: Pick<Shell, "evaluate">): void {
  const compiled = (pattern: Text) => compile(given(pattern, "pattern"), { ignoreCase: false });
  set.define({
    name: `${namespace}.Regex`,
    aliases: ["regex"],
    staticMethods: {
      "Replace(string, string, string)": (_: null, text: Text, pattern: Text, by: Text) =>
        compiled(pattern).replace(given(text, "input"), given(by, "replacement")),
      "Replace(string, string, scriptblock)": async (
        _: null,
        text: Text,
        pattern: Text,
        block: ScriptBlock,
      ) => {
        const regex = compiled(pattern);
        const results: Value[] = [];
        for (const match of regex.matches(given(text, "input"))) {
          const args = [matchObject(match)];
          results.push(await shell.evaluate(block, { args, child: true }));
        }
        return regex.replaceBy(text ?? "", () => toText(results.shift() ?? null));
      },
    },
  });
}
