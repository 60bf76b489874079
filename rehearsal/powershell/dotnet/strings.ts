/** System.String and System.Text.RegularExpressions. */
import type { Shell } from "../commands.ts";
import { most, toText } from "../convert.ts";
import { compile, type Match } from "../regex.ts";
import { types, type Types } from "../types.ts";
import {
  NetObject,
  Raised,
  Unsupported,
  type Char,
  type ScriptBlock,
  type Value,
} from "../values.ts";
import { badArgument } from "./exceptions.ts";

function substring(self: string, start: number, length = self.length - start): string {
  const outside = (parameter: string, message: string) =>
    badArgument(message, parameter, "OutOfRange");
  if (start < 0) throw outside("startIndex", "StartIndex cannot be less than zero.");
  if (start > self.length) {
    throw outside("startIndex", "startIndex cannot be larger than length of string.");
  }
  if (length < 0) throw outside("length", "Length cannot be less than zero.");
  if (start + length > self.length) {
    const message = "Index and length must refer to a location within the string.";
    throw outside("length", message);
  }
  return self.slice(start, start + length);
}

/** .NET trims what JavaScript trims, except U+FEFF, and also U+0085. */
const space = "[^\\S\\ufeff]|\\x85";
const spaceAtStart = new RegExp(`^(?:${space})+`);
const spaceAtEnd = new RegExp(`(?:${space})+$`);

function trimEnd(self: string, character?: string): string {
  if (character === undefined) return self.replace(spaceAtEnd, "");
  if (character.length !== 1) throw new Unsupported("TrimEnd of several characters");
  let end = self.length;
  while (self.charAt(end - 1) === character) {
    end -= 1;
  }
  return self.slice(0, end);
}

function replace(self: string, old: string, by: string): string {
  if (old === "") throw badArgument("String cannot be of zero length.", "oldValue");
  return self.replaceAll(old, () => by);
}

/** Characters that count for nothing in .NET's comparisons, or together with the next one, or as two. */
const uncertain =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\p{M}\p{Cf}\u00c6\u00df\u00e6\u0132-\u0133\u0152-\u0153]/u;

function refuseUncertain(self: string, text: string): void {
  // For 7 the two characters of a line's end are one.
  if (uncertain.test(self.replace(/\r/g, "")) || uncertain.test(text) || /[\r\n]/.test(text)) {
    throw new Unsupported("a search for control characters, or for letters that are two");
  }
}

types.extend("System.String", {
  properties: { Length: (self: string) => self.length },
  methods: {
    "Substring(int)": substring,
    "Substring(int, int)": substring,
    "Trim()": (self: string) => trimEnd(self.replace(spaceAtStart, "")),
    "TrimEnd()": trimEnd,
    "TrimEnd(string)": trimEnd,
    "Replace(string, string)": replace,
    "StartsWith(string)": (self: string, text: string) => {
      refuseUncertain(self, text);
      return self.startsWith(text);
    },
    "EndsWith(string)": (self: string, text: string) => {
      refuseUncertain(self, text);
      return self.endsWith(text);
    },
    "Contains(string)": (self: string, text: string) => self.includes(text),
    "PadLeft(int, char)"(self: string, width: number, char: Char) {
      if (width > most) throw new Unsupported("a text of a million characters");
      if (width < 0) throw badArgument("Non-negative number required.", "totalWidth", "OutOfRange");
      return self.padStart(width, char.text);
    },
    "ToLower()"(self: string) {
      if (/[^\0-\x7f]/.test(self)) throw new Unsupported("ToLower of text beyond ASCII");
      return self.toLowerCase();
    },
    // One character at a time, because .NET never changes the length and JavaScript may.
    "ToLowerInvariant()": (self: string) =>
      self.replace(/[^]/g, (char) => (char.toLowerCase().length === 1 ? char.toLowerCase() : char)),
  },
});

// Regular expressions

const namespace = "System.Text.RegularExpressions";
const matchType = types.define({
  name: `${namespace}.Match`,
  properties: { Value: ({ state }: NetObject<Match>) => state.value },
});

/** Defines Regex, whose Replace can take a script block. */
export function defineRegexTypes(set: Types, shell: Pick<Shell, "evaluate">): void {
  const replaceByBlock = async (text: string, pattern: string, block: ScriptBlock) => {
    const regex = compile(pattern, { ignoreCase: false });
    const results: Value[] = [];
    for (const match of regex.matches(text)) {
      const args = [new NetObject(matchType, match)];
      results.push(
        await shell.evaluate(block, { args, child: true }).catch((error: unknown) => {
          // It is one of the method.
          throw error instanceof Raised ? new Unsupported("an error in a block of Replace") : error;
        }),
      );
    }
    return regex.replaceBy(text, () => toText(results.shift() ?? null));
  };
  set.define({
    name: `${namespace}.Regex`,
    aliases: ["regex"],
    staticMethods: { "Replace(string, string, scriptblock)": replaceByBlock },
  });
}
