import { messageOf } from "../../host/failure.ts";
import type { Arguments, Parameters, Script, UndoneBy } from "./node-step.ts";

/**
 * Longest command line of `cmd.exe /c`, in characters; Win32-OpenSSH puts `<path of cmd.exe> /c "..."` around a
 * command.
 */
const maxCommandLength = 8191;
const shellPrefix = `"C:\\Windows\\System32\\cmd.exe" /c ""`;

/**
 * Quotes one argument of a command that cmd.exe passes to powershell.exe.
 *
 * Between double quotes cmd.exe only replaces `%NAME%`, so each `%` is put outside the quotes, after a caret.
 * Backslashes before a quote are doubled; others have no special meaning.
 *
 * @throws for text that cannot be passed: control characters, double quotes, non-ASCII, and a leading dash
 * (`powershell.exe -File` treats it as a parameter's name, even in quotes).
 */
export function quoteForCmd(value: string): string {
  if (/[^\x20-\x7e]/.test(value)) {
    throw new Error("it contains a control character or a character beyond ASCII");
  }
  if (value.includes('"')) throw new Error("it contains a double quote");
  if (value.startsWith("-")) throw new Error("it begins with a dash");
  if (/^[\w./\\:=@+#~-]+$/.test(value)) return value;
  const inner = value.replace(
    /(\\*)(%|$)/g,
    (_, slashes: string, percent: string) => slashes + slashes + (percent && '"^%"'),
  );
  return `"${inner}"`;
}

/**
 * Command line that runs a script on a Windows machine, for cmd.exe, the SSH server's default shell.
 *
 * @param folder folder of the script on the machine, e.g. `C:\kindows\steps\Join-Node-0123456789ab`.
 * @throws if a value cannot be passed, or the command line is too long for cmd.exe; the error names the parameter but
 * not its value.
 */
export function scriptCommand<P extends Parameters>(
  folder: string,
  { name: script, parameters }: Pick<Script<P>, "name" | "parameters">,
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
  const command = [
    `powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -File ${file}`,
    ...words,
  ].join(" ");

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
export function undoCommand(folder: string, { script, values }: UndoneBy): string {
  const file = quoteForCmd(`${folder}\\${script.name}.ps1`);
  return `if exist ${file} ${scriptCommand(folder, script, values)}`;
}

function asText(value: unknown, kind: "string" | "int"): string {
  if (kind === "string" && typeof value === "string") return value;
  if (kind === "int" && Number.isSafeInteger(value) && (value as number) >= 0) return String(value);
  throw new Error(kind === "int" ? "it is not a non-negative integer" : "it is not text");
}
