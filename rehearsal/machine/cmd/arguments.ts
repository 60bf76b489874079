/**
 * Splits the command line of a Windows program into arguments: quotes group, `\"` is a quote, and pairs of backslashes
 * before a quote are single ones.
 *
 * Source: https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments. `""` within quotes is not supported.
 */
export function splitArguments(text: string): string[] {
  const words = text.match(/(?:[^ \t"\\]|\\["\\]?|"(?:[^"\\]|\\["\\]?)*(?:"|$))+/g) ?? [];
  // Backslashes are literal unless they precede a quote.
  const unquoted = (slashes: string) =>
    "\\".repeat(Math.floor(slashes.length / 2)) + (slashes.length % 2 === 1 ? '"' : "");
  return words.map((word) => word.replace(/(\\*)"/g, (_, slashes: string) => unquoted(slashes)));
}

/** Quotes an argument so that `splitArguments` returns it unchanged. */
export function quoteArgument(argument: string): string {
  if (argument !== "" && !/[\s"]/.test(argument)) return argument;
  const escaped = argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1");
  return `"${escaped}"`;
}
