/**
 * Every command that runs on a Windows machine, and how it is written for the shell that the machine's SSH server
 * starts. Nothing else writes a call of powershell.exe (test/unit/windows/powershell-calls.test.ts).
 */
import type { Client } from "ssh2";
import { messageOf } from "../failure.ts";
import { outputOf, overSsh, runOn, type CommandEnd, type SshSource } from "./run-over-ssh.ts";

/** A shell of Windows in which an SSH server runs commands: `DefaultShell` in the registry, or cmd.exe. */
export type WindowsShell = "cmd" | "powershell" | "bash";

/**
 * Parameters of a script, with the names and order of its `param()` block. The script's help explains their meanings,
 * units and sources (`Get-Help .\Join-Node.ps1 -Full`).
 *
 * `int` is an integer, `string` any text that a command line can contain.
 */
export type Parameters = Readonly<Record<string, "string" | "int">>;

/** Values for all parameters. A script's own defaults are never relied on, so that a diff shows every change. */
export type Arguments<P extends Parameters> = {
  readonly [Name in keyof P]: { string: string; int: number }[P[Name]];
};

/** A PowerShell script, as a command line calls it. */
export interface WindowsScript<P extends Parameters = Parameters> {
  /** Name of its file, without `.ps1`. */
  readonly name: string;
  readonly parameters: P;
}

/**
 * Longest command line of cmd.exe, in characters. The prefix is what the shells put before a command: sshd itself
 * (`/c "..."`), or `inShell`.
 */
const maxCommandLength = 8191;
const shellPrefix = `"C:\\Windows\\System32\\cmd.exe" /d /s /c ""`;

const powerShell = "powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass";

/**
 * In the global scope: the modules of Windows do not see a script's own. Over SSH, without a console, a progress bar
 * ends in "Access is denied 0x5" (crc-org/crc#1184; projectcalico/calico, process/testing/aso/windows).
 */
const preferences =
  "$global:ErrorActionPreference = 'Stop'; $global:ProgressPreference = 'SilentlyContinue'; ";

/**
 * Quotes one argument of a command that cmd.exe passes to powershell.exe.
 *
 * Between double quotes cmd.exe only replaces `%NAME%`, so each `%` is put outside the quotes, after a caret.
 * Backslashes before a quote are doubled, also the last ones, which may come to stand before one (`inShell`); others
 * have no special meaning.
 *
 * @throws for text that cannot be passed: control characters, double quotes, non-ASCII, and a leading dash
 * (`powershell.exe -File` treats it as a parameter's name, even in quotes).
 */
export function quoteForCmd(value: string): string {
  requirePlain(value);
  if (value.startsWith("-")) throw new Error("it begins with a dash");
  if (/^[\w./\\:=@+#~-]+(?<!\\)$/.test(value)) return value;
  const inner = value.replace(
    /(\\*)(%|$)/g,
    (_, slashes: string, percent: string) => slashes + slashes + (percent && '"^%"'),
  );
  return `"${inner}"`;
}

function requirePlain(text: string): void {
  if (/[^\x20-\x7e]/.test(text)) {
    throw new Error("it contains a control character or a character beyond ASCII");
  }
  if (text.includes('"')) throw new Error("it contains a double quote");
}

/**
 * Command line that runs a script on a Windows machine.
 *
 * `-File` passes arguments as text, so parameters are only text and integers: Windows PowerShell 5.1 cannot pass a
 * switch's value or a boolean this way (MicrosoftDocs/PowerShell-Docs#4964).
 *
 * @param folder folder of the script on the machine, e.g. `C:\kindows\steps\Join-Node-0123456789ab`.
 * @throws if a value cannot be passed, or the command line is too long for cmd.exe; the error names the parameter but
 * not its value.
 */
export function scriptCommand<P extends Parameters>(
  folder: string,
  { name: script, parameters }: WindowsScript<P>,
  values: Arguments<P>,
): string {
  const words = Object.entries(parameters).map(([name, kind]) => {
    try {
      return `-${name} ${quoteForCmd(asText(values[name], kind))}`;
    } catch (error) {
      throw new Error(
        `${script}: parameter ${name} can't be passed on a command line: ${messageOf(error)}`,
      );
    }
  });
  const file = quoteForCmd(`${folder}\\${script}.ps1`);
  const command = [`${powerShell} -File ${file}`, ...words].join(" ");

  const length = shellPrefix.length + command.length;
  if (length > maxCommandLength) {
    const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? "";
    throw new Error(
      `${script}: the command is ${length} characters long, cmd.exe takes ${maxCommandLength}; ` +
        `shorten ${longest.split(" ")[0]?.slice(1)}, its longest parameter`,
    );
  }
  return command;
}

/**
 * Command line of a script that undoes a step. Does nothing on a machine without the script, because such a machine has
 * been reinstalled, which removed everything.
 */
export function undoCommand(
  folder: string,
  { script, values }: { readonly script: WindowsScript; readonly values: Arguments<Parameters> },
): string {
  const file = quoteForCmd(`${folder}\\${script.name}.ps1`);
  return `if exist ${file} ${scriptCommand(folder, script, values)}`;
}

/**
 * Command line that runs a line of PowerShell which is in no script. Errors end it.
 *
 * @throws for text that a double-quoted argument of cmd.exe cannot contain.
 */
export function powerShellCommand(text: string): string {
  requirePlain(text);
  if (text.includes("%")) throw new Error("it contains a percent sign, which cmd.exe may replace");
  return `${powerShell} -Command "${preferences}${text}"`;
}

function asText(value: unknown, kind: "string" | "int"): string {
  if (kind === "string" && typeof value === "string") return value;
  if (kind === "int" && Number.isSafeInteger(value) && (value as number) >= 0) return String(value);
  throw new Error(kind === "int" ? "it is not a non-negative integer" : "it is not text");
}

/**
 * Writes a command for cmd.exe as a command for another shell, which has cmd.exe run it. Standard input, output and
 * the exit code are the command's.
 *
 * - PowerShell passes an argument with blanks between quotes, and quotes inside it unchanged, as `cmd.exe /s` wants it. The
 *   exit code of `powershell.exe -c` would only be 0 or 1.
 * - Bash has powershell.exe in between: MSYS2 would write quotes for cmd.exe as `\"`, which only other programs take for
 *   quotes. The variables keep it from replacing what looks like a path.
 */
export function inShell(shell: WindowsShell, command: string): string {
  if (shell === "cmd") return command;
  const forPowerShell = `cmd.exe /d /s /c '${command.replaceAll("'", "''")}'; exit $LASTEXITCODE`;
  if (shell === "powershell") return forPowerShell;
  return `MSYS_NO_PATHCONV=1 MSYS2_ARG_CONV_EXCL='*' ${powerShell} -Command '${forPowerShell.replaceAll("'", "'\\''")}'`;
}

/** A command that each shell answers differently: see `shellFrom`. */
export const shellQuestion = "echo $0 %ComSpec%";

/**
 * Reads the answer to `shellQuestion`: cmd.exe knows no `$0`, PowerShell has nothing in it and no `%ComSpec%`, and Bash
 * has its own name in it. A profile may print something before.
 *
 * @throws for another shell, with a remedy.
 */
export function shellFrom(answer: string): WindowsShell {
  const last = answer.trim().split(/\r?\n/).at(-1)?.trim() ?? "";
  if (last.startsWith("$0 ")) return "cmd";
  if (last === "%ComSpec%") return "powershell";
  if (/sh(\.exe)? %ComSpec%$/.test(last)) return "bash";
  throw new Error(
    `its SSH server starts a shell that kindows does not know (${shellQuestion} prints ${last === "" ? "nothing" : last.slice(0, 100)}). ` +
      "Have it start cmd.exe: Remove-ItemProperty HKLM:\\SOFTWARE\\OpenSSH -Name DefaultShell; Restart-Service sshd",
  );
}

/** Which shell a machine's SSH server starts. */
export async function shellOf(client: Client, signal: AbortSignal): Promise<WindowsShell> {
  return shellFrom((await runOn(client, shellQuestion, signal)).stdout);
}

/** Runs a command for cmd.exe on a machine, whatever its SSH server's shell. @param input may be secret. */
export async function runOnWindows(
  client: Client,
  command: string,
  signal: AbortSignal,
  input = "",
): Promise<CommandEnd> {
  return runOn(client, inShell(await shellOf(client, signal), command), signal, input);
}

/**
 * Logs in, with a single attempt, runs a command for cmd.exe, and returns its standard output.
 *
 * @param input may be secret.
 * @throws as `runOverSsh`.
 */
export function windowsOutput(
  source: SshSource,
  command: string,
  timeoutSeconds: number,
  input = "",
): Promise<string> {
  return overSsh(source, timeoutSeconds, async (client, signal) =>
    outputOf(client, inShell(await shellOf(client, signal), command), signal, input),
  );
}
