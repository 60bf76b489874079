/** A line cmd.exe refuses; `message` goes to stderr and the exit code is 1. */
export class CommandLineError extends Error {
  override readonly name = "CommandLineError";
}

/** The longest command cmd.exe takes, in characters. https://learn.microsoft.com/troubleshoot/windows-client/shell-experience/command-line-string-limitation */
export const longestCommand = 8191;

/** One command of cmd.exe: what to run and the raw text behind it. */
export interface Command {
  /** First word, without quotes. */
  readonly program: string;
  /** The rest, untouched but for `%VARIABLES%` and carets: programs split it themselves. */
  readonly rest: string;
}

const operators = "&|<>()";

/**
 * What `cmd.exe /c "<text>"` makes of one command: variables expanded, carets outside quotes taken off.
 *
 * Pipes, redirections and command chains are refused with a message: the rehearsal host runs single commands.
 */
export function parseCommandLine(
  text: string,
  variables: Readonly<Record<string, string>>,
): Command {
  if (text.length > longestCommand) throw new CommandLineError("The command line is too long.");
  const line = withoutCarets(expandVariables(text.trim(), variables));

  const quoted = /^"([^"]*)"(.*)$/s.exec(line);
  if (quoted) return { program: quoted[1] ?? "", rest: (quoted[2] ?? "").trim() };
  const plain = /^([^\s"]*)(.*)$/s.exec(line);
  return { program: plain?.[1] ?? "", rest: (plain?.[2] ?? "").trim() };
}

/** `%NAME%` by its value; a name that is not set stays as it is, as it does outside batch files. */
function expandVariables(text: string, variables: Readonly<Record<string, string>>): string {
  const values = new Map(
    Object.entries(variables).map(([name, value]) => [name.toUpperCase(), value]),
  );
  return text.replace(/%([^%=]+)%/g, (match, name: string) => {
    return values.get(name.toUpperCase()) ?? match;
  });
}

function withoutCarets(text: string): string {
  let result = "";
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    let character = text.charAt(index);
    if (character === '"') quoted = !quoted;
    if (!quoted && character === "^") {
      index++;
      character = text.charAt(index);
    } else if (!quoted && (operators.includes(character) || character === "\n")) {
      throw new CommandLineError(
        `The rehearsal host runs one command at a time: '${character === "\n" ? "newline" : character}' outside quotes is not rehearsed.`,
      );
    }
    result += character;
  }
  return result;
}
