import { checkLookup, lookupOf, lookupWords } from "./lookup.ts";
import type { FailureKind, Probe, ProbeFailure } from "./probe.ts";
import {
  podCommand,
  runCommand,
  type Printed,
  type Shell,
  type ShellCommand,
} from "./shell-command.ts";

/** Longest time for one request, in seconds. */
export const requestSeconds = 4;

/** The program that makes a probe's requests, and its arguments. */
export function probeWords(probe: Probe): readonly [program: string, ...args: string[]] {
  const lookup = lookupOf(probe);
  return lookup ? lookupWords(lookup, requestSeconds) : ["curl", ...curlArguments(probe)];
}

/**
 * curl's arguments for a probe. curl is in agnhost's images, in Windows Server since 2019, and reports by its exit
 * code what went wrong.
 */
export function curlArguments({
  url,
  requests,
}: Pick<Probe, "url" | "requests">): readonly string[] {
  return [
    ...["--silent", "--show-error", "--verbose", "--fail", "--noproxy", "*"],
    ...["--max-time", String(requestSeconds), "--header", "Connection: close"],
    ...Array.from({ length: requests }, () => url),
  ];
}

/** The command of a probe. */
export function probeCommand(shell: Shell, probe: Probe): ShellCommand {
  const [program, ...args] = probeWords(probe);
  return probe.origin === "outside"
    ? { program, args }
    : podCommand(shell, probe.origin.pod, [program, ...args]);
}

/** Makes a probe's requests. @returns undefined if it succeeds. */
export async function attempt(shell: Shell, probe: Probe): Promise<ProbeFailure | undefined> {
  const { origin } = probe;
  // The API server and kubelet need a moment, too; starting a program takes Windows longer, most of all a rehearsed one.
  const startSeconds = origin !== "outside" && origin.os === "windows" ? 40 : 10;
  const timeoutSeconds = requestSeconds * probe.requests + startSeconds;
  const printed = await runCommand(shell, probeCommand(shell, probe), timeoutSeconds);
  return lookupOf(probe) ? checkLookup(probe, printed) : checkPrinted(probe, printed);
}

/** The failure that curl's exit code, or `kubectl exec`'s, means. */
export function checkPrinted(probe: Probe, printed: Printed): ProbeFailure | undefined {
  if (printed.exitCode === 0) {
    const complaint = probe.check(printed.stdout.trim());
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
