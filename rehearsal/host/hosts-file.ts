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
