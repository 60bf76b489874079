import { type CommandIo, runCommand, runScript } from "../run-script.ts";
import type { WindowsHost } from "../windows-host.ts";
import { WindowsPathError } from "../windows-path.ts";
import { splitArguments } from "./arguments.ts";
import { plainCommands } from "./plain-commands.ts";

/** Where Windows keeps its own programs: `C:\Windows\System32\hostname.exe` is `hostname`. */
const systemFolder =
  /^c:[\\/]windows[\\/]system32[\\/](?:(?:windowspowershell[\\/]v1\.0|openssh)[\\/])?/i;

/** `<command> && <command> || (echo <remedy>>&2& exit 1)`, the only chain that is rehearsed: a remedy if one fails. */
const remedied = /^([^&|<>()]+(?: && [^&|<>()]+)*) \|\| \(echo ([^&|<>()%^"]+)>&2& exit 1\)$/;

/** `"cmd.exe" /c "<command>"`, as Win32-OpenSSH starts every command; returns the exit code. */
export async function runShellCommand(
  host: WindowsHost,
  text: string,
  io: CommandIo,
): Promise<number> {
  const [, commands, remedy] = remedied.exec(text) ?? [];
  if (commands !== undefined && remedy !== undefined) {
    for (const command of commands.split(" && ")) {
      if ((await runShellCommand(host, command, io)) === 0) continue;
      io.err(`${remedy}\n`);
      return 1;
    }
    return 0;
  }
  try {
    const { program, rest } = parseCommandLine(text, host.sessionVariables);
    const name = program
      .replace(systemFolder, "")
      .replace(/\.exe$/i, "")
      .toLowerCase();
    if (name === "powershell") return await runPowerShell(host, rest, io);
    if (name === "if") return await runIfExist(host, rest, io);
    const command = plainCommands.get(name);
    if (command) return await command(host, rest, io);
    io.err(
      `'${program}' is not recognized as an internal or external command,\noperable program or batch file.\n` +
        `(This is a kindows rehearsal host; it knows powershell.exe -File <step script> and ${[...plainCommands.keys()].join(", ")}.)\n`,
    );
    return 1;
  } catch (error) {
    if (!(error instanceof CommandLineError || error instanceof WindowsPathError)) throw error;
    io.err(`${error.message}\n`);
    return 1;
  }
}

/** `if exist <path> <command>`; no other condition is rehearsed. */
async function runIfExist(host: WindowsHost, rest: string, io: CommandIo): Promise<number> {
  const [, quoted, plain, command = ""] = /^exist\s+(?:"([^"]+)"|(\S+))\s+(.+)$/is.exec(rest) ?? [];
  const path = quoted ?? plain;
  if (path === undefined) {
    io.err("The rehearsal host knows `if exist <path> <command>` only.\n");
    return 1;
  }
  const { drive } = host;
  const there = (await drive.isFile(path)) || (await drive.isFolder(path));
  return there ? runShellCommand(host, command, io) : 0;
}

/** With options that change nothing here. */
const startsPowerShell =
  /^(?:-(?:NoProfile|NonInteractive|NoLogo|ExecutionPolicy (?:Bypass|Unrestricted|RemoteSigned)) )*-(File|Command) (.+)$/i;

async function runPowerShell(host: WindowsHost, rest: string, io: CommandIo): Promise<number> {
  const [, option, invocation] = startsPowerShell.exec(rest) ?? [];
  if (option === undefined || invocation === undefined) {
    io.err(
      "This is the kindows rehearsal host: it has no PowerShell and runs only the step scripts, started with " +
        "powershell.exe -File C:\\...\\<Step>.ps1.\n",
    );
    return 1;
  }
  if (/command/i.test(option)) return runCommand(host, invocation, io);
  const [script = "", ...args] = splitArguments(invocation);
  return runScript(host, script, args, io);
}

/** A line cmd.exe refuses; `message` goes to stderr and the exit code is 1. */
class CommandLineError extends Error {
  override readonly name = "CommandLineError";
}

/** The longest command cmd.exe takes, in characters. https://learn.microsoft.com/troubleshoot/windows-client/shell-experience/command-line-string-limitation */
const longestCommand = 8191;

/**
 * What `cmd.exe /c "<text>"` makes of one command: its first word without quotes, and the rest, in which only variables
 * are expanded, and carets outside quotes taken off: programs split it themselves. @throws for more than one command.
 */
export function parseCommandLine(
  text: string,
  variables: Readonly<Record<string, string>>,
): { readonly program: string; readonly rest: string } {
  if (text.length > longestCommand) throw new CommandLineError("The command line is too long.");
  const line = withoutCarets(expandVariables(text.trim(), variables));
  const [, program = "", rest = ""] =
    /^"([^"]*)"(.*)$/s.exec(line) ?? /^([^\s"]*)(.*)$/s.exec(line) ?? [];
  return { program, rest: rest.trim() };
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

/** What is within quotes stays; outside, a caret takes an operator its meaning. */
function withoutCarets(text: string): string {
  return text.replace(/("[^"]*(?:"|$))|\^([^]?)|[&|<>()\n]/g, (operator, quoted, escaped) => {
    if (typeof quoted === "string") return quoted;
    if (typeof escaped === "string") return escaped;
    const shown = operator === "\n" ? "newline" : operator;
    throw new CommandLineError(
      `The rehearsal host runs one command at a time: '${shown}' outside quotes is not rehearsed.`,
    );
  });
}
