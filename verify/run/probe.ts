import { type ProgramEnd, runProgram } from "../../host/run-program.ts";
import { shellWord } from "../../host/shell-word.ts";
import { namespace } from "../objects/names.ts";
import type { Kubectl } from "./own-namespace.ts";
import type { Os } from "../objects/names.ts";

/** Where a request is made: in a pod, or on this host. */
export type Origin = { readonly pod: string; readonly node: string; readonly os: Os } | "outside";

/** A request, and a check of its answer. */
export interface PlannedProbe {
  readonly origin: Origin;
  /** URL of a page, or a DNS query: `dns://SERVER/NAME` (RFC 4501). */
  readonly url: string;
  /** Number of requests, each over a new connection, because Services distribute connections. */
  readonly requests: number;
  /** Describes what is wrong with an answer; undefined if it is right. */
  readonly check: (answer: string) => string | undefined;
  readonly targetPods: readonly string[];
  readonly service?: string;
  /** Node whose address is requested. */
  readonly viaNode?: string;
  /** NetworkPolicy that decides about the request, and whether it allows it. */
  readonly policy?: { readonly name: string; readonly allows: boolean };
  /** Whether a name has to be resolved first. */
  readonly named?: boolean;
}

export interface Probe extends PlannedProbe {
  /** Longest time for one request, in seconds. */
  readonly requestSeconds: number;
}

/**
 * Kind of a failure.
 *
 * - `name`: the name was not resolved.
 * - `refused`, `lost`, `unreachable`: no connection, because it was refused, not answered in time, or had no route.
 * - `answer`: an answer, but the wrong one.
 * - `exec`: the command could not be run at all.
 */
export type FailureKind = "name" | "refused" | "lost" | "unreachable" | "answer" | "exec" | "other";

export interface ProbeFailure {
  readonly kind: FailureKind;
  readonly text: string;
}

/** Checks that an answer comes from one of these hosts; Windows may write its name in capitals. */
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

/** Checks that the output of nslookup contains this address. */
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

export interface ShellCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** Context for running commands in pods and on this host. */
interface Shell extends Kubectl {
  /** Ends running commands. */
  readonly signal: AbortSignal;
}

export type Printed = Pick<ProgramEnd, "exitCode" | "stdout" | "stderr">;

/** A command in a pod; `container` is required if the pod has several. */
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

/** The program that makes a probe's requests, and its arguments. */
export function probeWords(
  probe: Pick<Probe, "url" | "requests" | "requestSeconds">,
): readonly string[] {
  const { requestSeconds } = probe;
  const lookup = lookupOf(probe);
  if (lookup) {
    // nslookup is in agnhost's Linux images and in Windows. The final dot prevents the use of search domains.
    const options = [`-timeout=${requestSeconds}`, "-type=A"];
    return ["nslookup", ...options, `${lookup.name}.`, lookup.server];
  }
  // curl is in agnhost's images and in Windows Server since 2019. Its exit code tells what went wrong.
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
  // The API server and kubelet take time too, and Windows, especially if rehearsed, takes longer to start a program.
  const startSeconds = origin !== "outside" && origin.os === "windows" ? 40 : 10;
  const timeoutSeconds = probe.requestSeconds * probe.requests + startSeconds;
  const printed = await runCommand(shell, probeCommand(shell, probe), timeoutSeconds);
  return failureOf(probe, printed);
}

/** The failure of a probe's program, by what it printed; undefined if it succeeded. */
export function failureOf(probe: Probe, printed: Printed): ProbeFailure | undefined {
  return lookupOf(probe) ? checkLookup(probe, printed) : checkPrinted(probe, printed);
}

/** Exit codes of curl and `kubectl exec` that are enough to tell what went wrong. */
const kinds: Readonly<Record<number, FailureKind>> = {
  6: "name",
  22: "answer",
  28: "lost",
  1: "exec",
  126: "exec",
  127: "exec",
};

/** The failure of a curl command, by its exit code and output; undefined if it succeeded. */
function checkPrinted(
  probe: Probe,
  { exitCode: lastCode = 1, stdout, stderr }: Printed,
): ProbeFailure | undefined {
  // curl exits with its last request's code: that an earlier one failed is only in its words.
  const exitCode = lastCode || Number(/^curl: \((\d+)\)/m.exec(stderr)?.[1] ?? 0);
  if (exitCode === 0) {
    const complaint = probe.check(stdout.trim());
    return complaint === undefined ? undefined : { kind: "answer", text: complaint };
  }
  const text = relevantLines(stderr, /failed: |^curl: \(|^error: |not resolve/i);
  if (exitCode === 7) return { kind: connectKind(stderr), text };
  if (exitCode === 28 && /resolv/i.test(text)) return { kind: "name", text };
  return { kind: kinds[exitCode] ?? "other", text };
}

function connectKind(stderr: string): FailureKind {
  if (/refused/i.test(stderr)) return "refused";
  return /no route|unreachable/i.test(stderr) ? "unreachable" : "lost";
}

/** The lines of a program's output that match `known`, or the last two lines if none does. */
function relevantLines(output: string, known: RegExp): string {
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

/** The failure of nslookup, if any. On Windows, nslookup always exits with 0, so its output decides. */
function checkLookup(
  probe: Probe,
  { exitCode, stdout, stderr }: Printed,
): ProbeFailure | undefined {
  const complaint = probe.check(stdout.replaceAll("\r", ""));
  if (exitCode === 0 && complaint === undefined) return undefined;
  const text = relevantLines(
    `${stdout}\n${stderr}`,
    /timed.out|can't find|no servers|no response|refused|unreachable|^error: /i,
  );
  const [, kind] = lookupKinds.find(([words]) => words.test(text)) ?? [];
  if (kind !== undefined) return { kind, text };
  return exitCode === 0 ? { kind: "answer", text: complaint ?? "" } : { kind: "exec", text };
}
