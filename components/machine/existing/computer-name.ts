import type { Client } from "ssh2";
import { runOn } from "../../../host/ssh/run-over-ssh.ts";
import { inShell, type WindowsShell } from "../../../host/ssh/windows-command.ts";

/** The computer name that is in force on a machine. */
export async function computerNameOf(
  client: Client,
  shell: WindowsShell,
  signal: AbortSignal,
): Promise<string> {
  return (await runOn(client, inShell(shell, "hostname"), signal)).stdout.trim();
}

/** Windows' names do not tell upper and lower case apart. */
export function isNamed(computerName: string, name: string): boolean {
  return computerName.toLowerCase() === name.toLowerCase();
}
