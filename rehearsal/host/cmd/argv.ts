/**
 * Splits a Windows command line into arguments as the C runtime does (CommandLineToArgvW and parse_cmdline): quotes
 * group, `\"` is a quote, backslashes before a quote count in pairs, `""` inside quotes is one quote.
 * https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
 */
export function splitArguments(line: string): string[] {
  const result: string[] = [];
  let current: string | undefined;
  let quoted = false;
  let index = 0;
  while (index < line.length) {
    const character = line[index];
    if (!quoted && (character === " " || character === "\t")) {
      if (current !== undefined) result.push(current);
      current = undefined;
      index++;
      continue;
    }
    current ??= "";
    if (character === "\\") {
      let end = index;
      while (line[end] === "\\") end++;
      const count = end - index;
      const beforeQuote = line[end] === '"';
      current += "\\".repeat(beforeQuote ? Math.floor(count / 2) : count);
      index = end;
      if (beforeQuote && count % 2 === 1) {
        current += '"';
        index++;
      }
    } else if (character === '"') {
      if (quoted && line[index + 1] === '"') {
        current += '"';
        index += 2;
      } else {
        quoted = !quoted;
        index++;
      }
    } else {
      current += character;
      index++;
    }
  }
  if (current !== undefined) result.push(current);
  return result;
}

/** The reverse: one argument written so that `splitArguments` gives it back. */
export function quoteArgument(argument: string): string {
  if (argument !== "" && !/[\s"]/.test(argument)) return argument;
  const escaped = argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1");
  return `"${escaped}"`;
}
