import { execa } from "execa";

import { shellWord } from "../../host/shell-word.ts";
import { namespace } from "../objects/names.ts";

/** A command that probes or looks, as one can repeat it. */
export interface ShellCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** How commands are run in pods and on this host. */
export interface Shell {
  /** kubectl's program, with the file that says which cluster. */
  readonly kubectl: string;
  readonly kubeconfig: string;
  /** Ends what is running. */
  readonly signal: AbortSignal;
}

/** What a command printed, and how it ended. */
export interface Printed {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command in a pod; `container` where it has several. */
export function podCommand(
  shell: Shell,
  pod: string,
  words: readonly string[],
  container?: string,
): ShellCommand {
  return {
    program: shell.kubectl,
    args: [
      ...["--kubeconfig", shell.kubeconfig, "--namespace", namespace, "exec", pod],
      ...(container === undefined ? [] : ["--container", container]),
      ...["--", ...words],
    ],
  };
}

/** A command as a shell takes it. */
export function commandText({ program, args }: ShellCommand): string {
  return [program, ...args].map(shellWord).join(" ");
}

/** Runs a command to its end; however it ends is an answer. */
export async function runCommand(
  shell: Shell,
  { program, args }: ShellCommand,
  timeoutSeconds: number,
): Promise<Printed> {
  const result = await execa(program, args, {
    reject: false,
    stdin: "ignore",
    timeout: timeoutSeconds * 1000,
    cancelSignal: shell.signal,
    env: { LC_ALL: "C" },
  });
  // Nothing was printed by a program that never started.
  const { stdout = "", stderr = "" } = result as { stdout?: string; stderr?: string };
  const why = result.timedOut ? `no end within ${timeoutSeconds} s` : (result.shortMessage ?? "");
  return {
    exitCode: result.exitCode,
    stdout,
    stderr: result.failed && stderr === "" ? why : stderr,
  };
}
