import { type ProgramEnd, runProgram } from "../../host/run-program.ts";
import { shellWord } from "../../host/shell-word.ts";
import { namespace } from "../objects/names.ts";
import type { Os } from "../rows/row.ts";
import type { Kubectl } from "./own-namespace.ts";

/** Where a request is made: in a pod, or on this host. */
export type Origin = { readonly pod: string; readonly node: string; readonly os: Os } | "outside";

/** One request, and what must come back. */
export interface Probe {
  readonly origin: Origin;
  /** URL of a page, or a DNS query: `dns://SERVER/NAME` (RFC 4501). */
  readonly url: string;
  /** Number of requests, each over a new connection, as Services spread connections. */
  readonly requests: number;
  readonly check: (answer: string) => string | undefined;
  readonly targetPods: readonly string[];
  readonly service?: string;
  /** Node at whose address it is made. */
  readonly viaNode?: string;
  /** NetworkPolicy that decides about it, and whether it lets it through. */
  readonly policy?: { readonly name: string; readonly allows: boolean };
  /** Whether a name has to be resolved first. */
  readonly named?: boolean;
}

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
  readonly text: string;
}

/** Complaint about an answer that does not come from one of these hosts, whose names Windows may have in capitals. */
export function fromHosts(names: readonly string[], requests: number): Probe["check"] {
  const one = names.map((name) => name.replaceAll(".", "\\.")).join("|");
  const pattern = new RegExp(`^(?:${one}){${requests}}$`, "i");
  return (answer) =>
    pattern.test(answer)
      ? undefined
      : `"${shortened(answer)}" answered instead of ${names.join(" or ")}`;
}

export function withText(text: string): Probe["check"] {
  return (answer) =>
    answer.includes(text) ? undefined : `"${shortened(answer)}" came back instead of "${text}"`;
}

/** Complaint about an answer of nslookup's without this address. */
export function withAddress(address: string): Probe["check"] {
  return (answer) => {
    // The server's own address comes before the name.
    const found = answer.slice(answer.search(/^Name:/m)).matchAll(/^Address(?:es)?:\s+(\S+)/gm);
    const seen = /^Name:/m.test(answer) ? [...found].map(([, one]) => one ?? "") : [];
    if (seen.includes(address)) return undefined;
    return `${seen.length === 0 ? "no address" : seen.join(", ")} came back instead of ${address}`;
  };
}

function shortened(answer: string): string {
  const line = answer.trim().replace(/\s+/g, " ");
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}

interface Lookup {
  readonly server: string;
  /** Full name, without the last dot. */
  readonly name: string;
}

/** The DNS query of a probe; undefined if it requests a page. */
export function lookupOf({ url }: Pick<Probe, "url">): Lookup | undefined {
  const [, server = "", name = ""] = /^dns:\/\/([^/]*)\/(.+)$/.exec(url) ?? [];
  return name === "" ? undefined : { server, name };
}

/** A command of a probe or check, for repeating it. */
export interface ShellCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** How commands are run in pods and on this host. */
export interface Shell extends Kubectl {
  /** Ends running commands. */
  readonly signal: AbortSignal;
}

export type Printed = Pick<ProgramEnd, "exitCode" | "stdout" | "stderr">;

/** A command in a pod; `container` is needed if it has several. */
export function podCommand(
  { kubectl, kubeconfig }: Shell,
  pod: string,
  words: readonly string[],
  container?: string,
): ShellCommand {
  const args = ["--kubeconfig", kubeconfig, "--namespace", namespace, "exec", pod];
  const chosen = container === undefined ? [] : ["--container", container];
  return { program: kubectl, args: [...args, ...chosen, "--", ...words] };
}

export function commandText({ program, args }: ShellCommand): string {
  return [program, ...args].map(shellWord).join(" ");
}

/** Runs a command; failures are results, not errors. */
export async function runCommand(
  { signal }: Shell,
  { program, args }: ShellCommand,
  timeoutSeconds: number,
): Promise<Printed> {
  const end = await runProgram(program, args, timeoutSeconds, { signal });
  return { ...end, stderr: end.stderr || end.reason };
}

/** Longest time for one request, in seconds. */
export const requestSeconds = 4;

/** The program that makes a probe's requests, and its arguments. */
export function probeWords(probe: Pick<Probe, "url" | "requests">): readonly string[] {
  const lookup = lookupOf(probe);
  if (lookup) {
    // In agnhost's Linux images; Windows has its own. The dot prevents the use of search domains.
    const options = [`-timeout=${requestSeconds}`, "-type=A"];
    return ["nslookup", ...options, `${lookup.name}.`, lookup.server];
  }
  // In agnhost's images, and in Windows Server since 2019; its exit code says what went wrong.
  return [
    ...["curl", "--silent", "--show-error", "--verbose", "--fail", "--noproxy", "*"],
    ...["--max-time", String(requestSeconds), "--header", "Connection: close"],
    ...Array.from({ length: probe.requests }, () => probe.url),
  ];
}

export function probeCommand(shell: Shell, probe: Probe): ShellCommand {
  const [program = "", ...args] = probeWords(probe);
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

/** curl's exit codes, and `kubectl exec`'s, as far as they alone say what went wrong. */
const kinds: Readonly<Record<number, FailureKind>> = {
  6: "name",
  22: "answer",
  28: "lost",
  1: "exec",
  126: "exec",
  127: "exec",
};

/** The failure that the exit code means. */
export function checkPrinted(
  probe: Probe,
  { exitCode = 1, stdout, stderr }: Printed,
): ProbeFailure | undefined {
  if (exitCode === 0) {
    const complaint = probe.check(stdout.trim());
    return complaint === undefined ? undefined : { kind: "answer", text: complaint };
  }
  const text = telling(stderr, /failed: |^curl: \(|^error: |not resolve/i);
  if (exitCode === 7) return { kind: connectKind(stderr), text };
  if (exitCode === 28 && /resolv/i.test(text)) return { kind: "name", text };
  return { kind: kinds[exitCode] ?? "other", text };
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

const lookupKinds: readonly (readonly [RegExp, FailureKind])[] = [
  [/can't find|non-existent|NXDOMAIN/i, "name"],
  [/timed.out|no servers|no response/i, "lost"],
  [/refused/i, "refused"],
  [/unreachable/i, "unreachable"],
];

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
  const [, kind] = lookupKinds.find(([words]) => words.test(text)) ?? [];
  if (kind !== undefined) return { kind, text };
  return exitCode === 0 ? { kind: "answer", text: complaint ?? "" } : { kind: "exec", text };
}
