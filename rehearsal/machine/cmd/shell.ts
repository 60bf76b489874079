import { runCommand, runScript } from "../run-script.ts";
import type { CommandIo } from "../ssh/ssh-server.ts";
import type { WindowsMachine } from "../windows-machine.ts";
import { WindowsPathError } from "../windows-path.ts";
import { splitArguments } from "./arguments.ts";
import { plainCommands } from "./plain-commands.ts";
import { startsPowerShell } from "./powershell-arguments.ts";

/** The folders of Windows' own programs: `C:\Windows\System32\hostname.exe` is `hostname`. */
const systemFolder =
  /^c:[\\/]windows[\\/]system32[\\/](?:(?:windowspowershell[\\/]v1\.0|openssh)[\\/])?/i;

/** `<command> && <command> || (echo <remedy>>&2& exit 1)`, the only chain that is rehearsed, prints a remedy on failure. */
const remedied =
  /^((?:[^&|<>()"]|"[^"]*")+(?: && (?:[^&|<>()"]|"[^"]*")+)*) \|\| \(echo ([^&|<>()%^"]+)>&2& exit 1\)$/;

/** Runs `"cmd.exe" /c "<command>"`, as Win32-OpenSSH starts every command. Returns the exit code. */
export async function runShellCommand(
  machine: WindowsMachine,
  text: string,
  io: CommandIo,
): Promise<number> {
  const [, commands, remedy] = remedied.exec(text) ?? [];
  if (commands !== undefined && remedy !== undefined) {
    for (const command of commands.split(" && ")) {
      if ((await runShellCommand(machine, command, io)) === 0) continue;
      io.err(`${remedy}\n`);
      return 1;
    }
    return 0;
  }
  try {
    const { program, rest } = parseCommandLine(text, machine.sessionVariables);
    const name = program
      .replace(systemFolder, "")
      .replace(/\.exe$/i, "")
      .toLowerCase();
    if (name === "powershell") return await runPowerShell(machine, rest, io);
    if (name === "if") return await runIfExist(machine, rest, io);
    const command = plainCommands.get(name);
    if (command) return await command(machine, rest, io);
    io.err(
      `'${program}' is not recognized as an internal or external command,\noperable program or batch file.\n` +
        `(This is a kindows rehearsed machine; it knows powershell.exe -File <step script> and ${[...plainCommands.keys()].join(", ")}.)\n`,
    );
    return 1;
  } catch (error) {
    if (!(error instanceof CommandLineError || error instanceof WindowsPathError)) throw error;
    io.err(`${error.message}\n`);
    return 1;
  }
}

/** `if exist <path> <command>`. No other condition is rehearsed. */
async function runIfExist(machine: WindowsMachine, rest: string, io: CommandIo): Promise<number> {
  const [, quoted, plain, command = ""] = /^exist\s+(?:"([^"]+)"|(\S+))\s+(.+)$/is.exec(rest) ?? [];
  const path = quoted ?? plain;
  if (path === undefined) {
    io.err("The rehearsed machine knows `if exist <path> <command>` only.\n");
    return 1;
  }
  const { drive } = machine;
  const exists = (await drive.isFile(path)) || (await drive.isFolder(path));
  return exists ? runShellCommand(machine, command, io) : 0;
}

async function runPowerShell(
  machine: WindowsMachine,
  rest: string,
  io: CommandIo,
): Promise<number> {
  const [, option, invocation] = startsPowerShell.exec(rest) ?? [];
  if (option === undefined || invocation === undefined) {
    io.err(
      "This is the kindows rehearsed machine: it has no PowerShell and runs only the step scripts, started with " +
        "powershell.exe -File C:\\...\\<Step>.ps1.\n",
    );
    return 1;
  }
  if (/command/i.test(option))
    return runCommand(machine, splitArguments(invocation).join(" "), io, runShellCommand);
  const [script = "", ...args] = splitArguments(invocation);
  return runScript(machine, script, args, io);
}

/** A command line that cmd.exe refuses. `message` is written to stderr and the exit code is 1. */
class CommandLineError extends Error {
  override readonly name = "CommandLineError";
}

/** The longest command line of cmd.exe, in characters. https://learn.microsoft.com/troubleshoot/windows-client/shell-experience/command-line-string-limitation */
const longestCommand = 8191;

/**
 * Parses one command as `cmd.exe /c "<text>"` does: its first word without quotes, and the rest with variables expanded
 * and carets outside quotes removed. Programs split the rest themselves. @throws for more than one command.
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

/** Expands `%NAME%`. A variable that is not set is left as written, as outside of batch files. */
function expandVariables(text: string, variables: Readonly<Record<string, string>>): string {
  const values = new Map(
    Object.entries(variables).map(([name, value]) => [name.toUpperCase(), value]),
  );
  return text.replace(/%([^%=]+)%/g, (match, name: string) => {
    return values.get(name.toUpperCase()) ?? match;
  });
}

/** Removes carets outside quotes, which escape operators. */
function withoutCarets(text: string): string {
  return text.replace(/("[^"]*(?:"|$))|\^([^]?)|[&|<>()\n]/g, (operator, quoted, escaped) => {
    if (typeof quoted === "string") return quoted;
    if (typeof escaped === "string") return escaped;
    const shown = operator === "\n" ? "newline" : operator;
    throw new CommandLineError(
      `The rehearsed machine runs one command at a time: '${shown}' outside quotes is not rehearsed.`,
    );
  });
}
