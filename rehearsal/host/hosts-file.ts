import { isIPv4, isIPv6 } from "node:net";
import type { HostsEntry } from "./programs.ts";

export const hostsFilePath = "C:\\Windows\\System32\\drivers\\etc\\hosts";

/** The entries of a hosts file; comments and lines without a valid address are passed over, as Windows does. */
export function parseHosts(text: string): HostsEntry[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [address, ...names] = line.replace(/#.*$/, "").trim().split(/\s+/);
    if (address === undefined || names.length === 0) return [];
    return isIPv4(address) || isIPv6(address) ? [{ address, names }] : [];
  });
}

/** One wanted name. */
export interface HostsLine {
  readonly address: string;
  readonly name: string;
}

/** Ends the lines that are the step's own. */
const mark = "# kindows";

/**
 * The file's lines with our entries, and only the wanted ones, at its end; or the foreign line that gives a wanted name
 * another address: Windows takes the first line that names a host.
 */
export function mergeHostsLines(
  lines: readonly string[],
  wanted: readonly HostsLine[],
): { readonly lines: string[] } | { readonly conflict: string; readonly entry: HostsLine } {
  const foreign = lines.filter((line) => !line.trimEnd().endsWith(mark));
  for (const entry of wanted) {
    const conflict = foreign.find((line) => {
      const [address, ...names] = line.replace(/#.*$/, "").trim().split(/\s+/);
      return (
        address !== entry.address &&
        names.some((name) => name.toLowerCase() === entry.name.toLowerCase())
      );
    });
    if (conflict !== undefined) return { conflict: conflict.trim(), entry };
  }
  return {
    lines: [...foreign, ...wanted.map(({ address, name }) => `${address} ${name} ${mark}`)],
  };
}
