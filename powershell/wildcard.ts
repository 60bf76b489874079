/** PowerShell's wildcards as regular expressions: `*`, `?` and sets in brackets; a backtick takes the meaning away. */
export function wildcard(pattern: string, ignoreCase = true): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    const set = character === "[" ? /^\[([^\]]+)\]/.exec(pattern.slice(at)) : null;
    if (character === "`" && at + 1 < pattern.length) {
      source += escape(pattern.charAt(++at));
    } else if (set) {
      source += `[${(set[1] ?? "").replace(/[\\^]/g, "\\$&")}]`;
      at += set[0].length - 1;
    } else {
      source += character === "*" ? ".*" : character === "?" ? "." : escape(character);
    }
  }
  return new RegExp(`^${source}$`, ignoreCase ? "is" : "s");
}

export function hasWildcard(text: string): boolean {
  return /[*?[]/.test(text);
}

function escape(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}
