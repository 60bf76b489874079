import { type FailureKind, type Lookup, lookupOf, type Probe, type ProbeFailure } from "./probe.ts";
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
  const text = telling(printed.stderr, /failed: |^curl: \(|^error: |not resolve/i);
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

/** The lines of a program's output that say what went wrong; the last two where none is known to. */
function telling(output: string, known: RegExp): string {
  const lines = output.split(/\r?\n/).map((line) => line.replace(/^\* +/, "").trim());
  const found = lines.filter((line) => known.test(line));
  const chosen = found.length > 0 ? found : lines.filter((line) => line !== "").slice(-2);
  return [...new Set(chosen)].join("; ").slice(0, 400);
}

/** nslookup's command line for a query. It is in agnhost's Linux images, and Windows has its own. */
function lookupWords(
  { server, name }: Lookup,
  timeoutSeconds: number,
): readonly [program: string, ...args: string[]] {
  // The dot prevents the use of search domains.
  return ["nslookup", `-timeout=${timeoutSeconds}`, "-type=A", `${name}.`, server];
}

/** The failure of an nslookup, if any. Windows' own always exits with 0, so its output decides. */
export function checkLookup(
  probe: Probe,
  { exitCode, stdout, stderr }: Printed,
): ProbeFailure | undefined {
  const complaint = probe.check(stdout.replaceAll("\r", ""));
  if (exitCode === 0 && complaint === undefined) return undefined;
  const text = telling(
    `${stdout}\n${stderr}`,
    /timed.out|can't find|no servers|no response|refused|unreachable|^error: /i,
  );
  if (/can't find|non-existent|NXDOMAIN/i.test(text)) return { kind: "name", text };
  if (/timed.out|no servers|no response/i.test(text)) return { kind: "lost", text };
  if (/refused/i.test(text)) return { kind: "refused", text };
  if (/unreachable/i.test(text)) return { kind: "unreachable", text };
  if (exitCode === 0) return { kind: "answer", text: complaint ?? "" };
  return { kind: "exec", text };
}
