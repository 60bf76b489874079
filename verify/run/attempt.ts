import { execa } from "execa";

import { shellWord } from "../../toolchain/shell-word.ts";
import { namespace } from "../objects/names.ts";
import { judgeLookup, lookupOf } from "./lookup.ts";
import { probeWords, requestSeconds } from "./probe.ts";
import type { Probe } from "./probe.ts";

/**
 * What kind of failure it was.
 *
 * - `name`: the name was not resolved.
 * - `refused`, `lost`, `unreachable`: no connection; turned down, no answer in time, no route.
 * - `answer`: an answer, but not the right one.
 * - `exec`: the command could not be run at all.
 */
export type FailureKind = "name" | "refused" | "lost" | "unreachable" | "answer" | "exec" | "other";

export interface ProbeFailure {
  readonly kind: FailureKind;
  /** In the words of who said it. */
  readonly text: string;
}

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

/** The command of a probe. */
export function probeCommand(shell: Shell, probe: Probe): ShellCommand {
  const [program, ...args] = probeWords(probe);
  return probe.origin === "outside"
    ? { program, args }
    : podCommand(shell, probe.origin.pod, [program, ...args]);
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

/** Makes a probe's requests. @returns nothing where all is as it should be. */
export async function attempt(shell: Shell, probe: Probe): Promise<ProbeFailure | undefined> {
  const { origin } = probe;
  // The API server and kubelet need a moment, too; starting a program takes Windows longer, most of all a rehearsed one.
  const startSeconds = origin !== "outside" && origin.os === "windows" ? 40 : 10;
  const timeoutSeconds = requestSeconds * probe.requests + startSeconds;
  const printed = await runCommand(shell, probeCommand(shell, probe), timeoutSeconds);
  return lookupOf(probe) ? judgeLookup(probe, printed) : judgePrinted(probe, printed);
}

/** What curl's end, as it is or passed on by `kubectl exec`, says. */
export function judgePrinted(probe: Probe, printed: Printed): ProbeFailure | undefined {
  if (printed.exitCode === 0) {
    const complaint = probe.judge(printed.stdout.trim());
    return complaint === undefined ? undefined : { kind: "answer", text: complaint };
  }
  const text = telling(printed.stderr);
  switch (printed.exitCode) {
    case 6:
      return { kind: "name", text };
    case 7:
      return { kind: connectKind(printed.stderr), text };
    case 28:
      return { kind: /resolv/i.test(text) ? "name" : "lost", text };
    case 22:
      return { kind: "answer", text };
    case 1:
    case 126:
    case 127:
    case undefined:
      return { kind: "exec", text };
    default:
      return { kind: "other", text };
  }
}

function connectKind(stderr: string): FailureKind {
  if (/refused/i.test(stderr)) return "refused";
  return /no route|unreachable/i.test(stderr) ? "unreachable" : "lost";
}

/** The lines of curl's or kubectl's standard error that say what went wrong. */
function telling(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.replace(/^\* +/, "").trim());
  const known = lines.filter((line) => /failed: |^curl: \(|^error: |not resolve/i.test(line));
  const chosen = known.length > 0 ? known : lines.filter((line) => line !== "").slice(-2);
  return [...new Set(chosen)].join("; ").slice(0, 400);
}
