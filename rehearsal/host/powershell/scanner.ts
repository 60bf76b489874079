/** PowerShell source the rehearsal can't read. */
export class PowerShellSyntaxError extends Error {
  override readonly name = "PowerShellSyntaxError";
}

const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Index of the first character at or after `index` that is neither white space nor comment. */
export function skipBlank(source: string, index: number): number {
  for (;;) {
    while (index < source.length && /[\s`]/.test(source.charAt(index))) index++;
    if (source.startsWith("<#", index)) {
      const end = source.indexOf("#>", index + 2);
      if (end === -1) throw new PowerShellSyntaxError("a block comment has no end");
      index = end + 2;
    } else if (source[index] === "#") {
      const end = source.indexOf("\n", index);
      index = end === -1 ? source.length : end + 1;
    } else {
      return index;
    }
  }
}

/** Index just behind the bracket that closes the one at `start`; strings and comments inside are passed over. */
export function skipBrackets(source: string, start: number): number {
  const expected = closing[source.charAt(start)];
  if (expected === undefined) throw new PowerShellSyntaxError("a bracket was expected");
  let index = start + 1;
  for (;;) {
    index = skipBlank(source, index);
    const character = source[index];
    if (character === undefined) throw new PowerShellSyntaxError(`no ${expected} for an opening`);
    if (character === expected) return index + 1;
    index = skipElement(source, index);
  }
}

/** Index just behind one element: a string, a bracketed group, or a single character. */
function skipElement(source: string, index: number): number {
  const character = source.charAt(index);
  if (character === "'" || character === '"') return skipString(source, index);
  if (character in closing) return skipBrackets(source, index);
  if (")]}".includes(character)) throw new PowerShellSyntaxError(`unexpected ${character}`);
  return index + 1;
}

function skipString(source: string, start: number): number {
  const quote = source.charAt(start);
  for (let index = start + 1; index < source.length; index++) {
    if (quote === '"' && source[index] === "`") index++;
    else if (source[index] === quote) {
      if (source[index + 1] !== quote) return index + 1;
      index++;
    }
  }
  throw new PowerShellSyntaxError("a string has no end");
}

/** Parts of a text between the commas that stand outside strings, brackets and comments; empty parts are dropped. */
export function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let index = skipBlank(text, 0);
  while (index < text.length) {
    if (text[index] === ",") {
      parts.push(text.slice(start, index));
      start = ++index;
    } else {
      index = skipElement(text, index);
    }
    index = skipBlank(text, index);
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.slice(skipBlank(part, 0)).trim()).filter((part) => part !== "");
}
