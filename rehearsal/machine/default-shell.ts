/**
 * The shell that sshd starts for a command: the registry's DefaultShell, or cmd.exe.
 *
 * Sources: PowerShell/openssh-portable at a915f06, contrib/win32/win32compat/pwd.c (set_defaultshell) and w32-doexec.c;
 * https://learn.microsoft.com/windows-server/administration/openssh/openssh-server-configuration.
 */
import { runShellCommand } from "./cmd/shell.ts";
import { runCommand } from "./run-script.ts";
import type { CommandIo } from "./ssh/ssh-server.ts";
import type { WindowsMachine } from "./windows-machine.ts";

export const openSshKey = "SOFTWARE\\OpenSSH";

/** Runs a command as sshd does. Returns the exit code. */
export function runInDefaultShell(
  machine: WindowsMachine,
  text: string,
  io: CommandIo,
): Promise<number> {
  const value = machine.registry.find(openSshKey)?.get("DefaultShell");
  // As sshd itself recognizes them.
  const path = typeof value === "string" ? value.toLowerCase() : "";
  if (path.includes("powershell")) {
    // The interpreter has no aliases. `echo` is Write-Output: a line for each argument that is not null.
    const echoed = /^echo ([\s$%\w]+)$/.exec(text)?.[1]?.split(" ");
    if (echoed === undefined) return runCommand(machine, text, io, runShellCommand);
    for (const word of echoed) if (!word.startsWith("$")) io.out(`${word}\r\n`);
    return Promise.resolve(0);
  }
  if (path.includes("\\bash")) return runInBash(machine, text, io);
  return runShellCommand(machine, text, io);
}

/** Runs `[NAME=value ...] powershell.exe ... -Command '...'`, and `echo`; Bash itself is not rehearsed. */
async function runInBash(machine: WindowsMachine, text: string, io: CommandIo): Promise<number> {
  const words = [...text.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) => unquoted(word));
  while (/^\w+=/.test(words[0] ?? "")) words.shift();
  const [program = "", ...args] = words;
  const command = args.indexOf("-Command");
  if (program === "powershell.exe" && command >= 0) {
    return runCommand(machine, args.slice(command + 1).join(" "), io, runShellCommand);
  }
  if (program === "echo") {
    io.out(`${args.map((word) => (word === "$0" ? "/usr/bin/bash" : word)).join(" ")}\n`);
    return 0;
  }
  io.err(`/usr/bin/bash: line 1: ${program}: command not found\n`);
  return 127;
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|\\(.)/g,
    (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? "",
  );
}
