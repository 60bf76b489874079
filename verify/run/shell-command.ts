import { execa } from "execa";

import { shellWord } from "../../host/shell-word.ts";
import { namespace } from "../objects/names.ts";

/** A command of a probe or check, for repeating it. */
export interface ShellCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** How commands are run in pods and on this host. */
export interface Shell {
  /** kubectl's path, and the cluster's kubeconfig. */
  readonly kubectl: string;
  readonly kubeconfig: string;
  /** Ends running commands. */
  readonly signal: AbortSignal;
}

/** A command's output and exit code. */
export interface Printed {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command in a pod; `container` is needed if it has several. */
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

/** A command line for a shell. */
export function commandText({ program, args }: ShellCommand): string {
  return [program, ...args].map(shellWord).join(" ");
}

/** Runs a command; failures are results, not errors. */
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
  // A program that never started printed nothing.
  const { stdout = "", stderr = "" } = result as { stdout?: string; stderr?: string };
  const why = result.timedOut ? `no end within ${timeoutSeconds} s` : (result.shortMessage ?? "");
  return {
    exitCode: result.exitCode,
    stdout,
    stderr: result.failed && stderr === "" ? why : stderr,
  };
}
