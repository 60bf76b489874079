import type { Printed } from "./shell-command.ts";
import type { Probe, ProbeFailure } from "./probe.ts";

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

/** nslookup's command line for a query. It is in agnhost's Linux images, and Windows has its own. */
export function lookupWords(
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
  const lines = `${stdout}\n${stderr}`.split(/\r?\n/).map((line) => line.trim());
  const telling = lines.filter((line) =>
    /timed.out|can't find|no servers|no response|refused|unreachable|^error: /i.test(line),
  );
  const text = [...new Set(telling)].join("; ").slice(0, 400);
  if (/can't find|non-existent|NXDOMAIN/i.test(text)) return { kind: "name", text };
  if (/timed.out|no servers|no response/i.test(text)) return { kind: "lost", text };
  if (/refused/i.test(text)) return { kind: "refused", text };
  if (/unreachable/i.test(text)) return { kind: "unreachable", text };
  if (exitCode === 0) return { kind: "answer", text: complaint ?? "" };
  return {
    kind: "exec",
    text:
      text ||
      lines
        .filter((line) => line !== "")
        .slice(-2)
        .join("; "),
  };
}
