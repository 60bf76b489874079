import type { Os } from "../rows/row.ts";

/** Where a request is made: in a pod, or on this host. */
export type Origin = { readonly pod: string; readonly node: string; readonly os: Os } | "outside";

/** One request, and what must come back. */
export interface Probe {
  readonly origin: Origin;
  /** URL of a page, or a DNS query: `dns://SERVER/NAME` (RFC 4501). */
  readonly url: string;
  /** Number of requests, each over a new connection, as Services spread connections. */
  readonly requests: number;
  /** What is wrong with an answer, if anything. */
  readonly check: (answer: string) => string | undefined;
  /** Pods that may answer. */
  readonly targetPods: readonly string[];
  /** Service on the way. */
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
  /** The original error. */
  readonly text: string;
}

/** Destinations outside of the cluster. */
export interface Outside {
  /** A server on this host, and the prefix of its answers. */
  readonly host?: { readonly url: string; readonly greeting: string } | undefined;
  /** A page on the internet, and its text. */
  readonly internet: { readonly url: string; readonly text: string };
}

/** Complaint about an answer that does not come from one of these pods; each answers with its own name. */
export function fromPods(names: readonly string[], requests: number): Probe["check"] {
  return fromNames(names, requests, "");
}

/** Complaint about an answer that does not come from one of these nodes, whose names Windows may have in capitals. */
export function fromNodes(names: readonly string[], requests: number): Probe["check"] {
  return fromNames(names, requests, "i");
}

function fromNames(names: readonly string[], requests: number, flags: "" | "i"): Probe["check"] {
  const one = names.map((name) => name.replaceAll(".", "\\.")).join("|");
  const pattern = new RegExp(`^(?:${one}){${requests}}$`, flags);
  return (answer) =>
    pattern.test(answer)
      ? undefined
      : `"${shortened(answer)}" answered instead of ${names.join(" or ")}`;
}

/** Complaint about an answer without this text. */
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

/** A DNS query. */
export interface Lookup {
  readonly server: string;
  /** Full name, without the last dot. */
  readonly name: string;
}

/** A DNS query as a URI (RFC 4501). */
export function lookupUrl(server: string, name: string): string {
  return `dns://${server}/${name}`;
}

/** The DNS query of a probe; undefined if it requests a page. */
export function lookupOf({ url }: Pick<Probe, "url">): Lookup | undefined {
  const [, server = "", name = ""] = /^dns:\/\/([^/]*)\/(.+)$/.exec(url) ?? [];
  return name === "" ? undefined : { server, name };
}
