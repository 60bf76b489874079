/**
 * Arguments of Windows' programs, which get them as one text: quotes group, `\"` is a quote, and backslashes before a quote
 * count in pairs.
 *
 * Source: https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments. `""` within quotes is not known.
 */
export function splitArguments(text: string): string[] {
  const words = text.match(/(?:[^ \t"\\]|\\["\\]?|"(?:[^"\\]|\\["\\]?)*(?:"|$))+/g) ?? [];
  // Only before a quote is a backslash more than itself.
  const unquoted = (slashes: string) =>
    "\\".repeat(Math.floor(slashes.length / 2)) + (slashes.length % 2 === 1 ? '"' : "");
  return words.map((word) => word.replace(/(\\*)"/g, (_, slashes: string) => unquoted(slashes)));
}

/** The reverse: one argument written so that `splitArguments` gives it back. */
export function quoteArgument(argument: string): string {
  if (argument !== "" && !/[\s"]/.test(argument)) return argument;
  const escaped = argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1");
  return `"${escaped}"`;
}
