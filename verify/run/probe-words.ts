import { lookupOf, lookupWords } from "./lookup.ts";
import type { Probe } from "./probe.ts";

/** The program that makes a probe's requests, and its arguments. */
export function probeWords(probe: Probe): readonly [program: string, ...args: string[]] {
  const lookup = lookupOf(probe);
  return lookup ? lookupWords(lookup, requestSeconds) : ["curl", ...curlArguments(probe)];
}

/** Longest time for one request, in seconds. */
export const requestSeconds = 4;

/**
 * curl's arguments for a probe. curl is in agnhost's images, in Windows Server since 2019, and says by its exit code
 * what went wrong.
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
