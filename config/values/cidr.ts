import { parseRange, rangeText } from "../ipv4.ts";
import type { Complaint } from "../problem.ts";

/** An IPv4 range in CIDR form, host bits zero. */
export function cidr(value: string): Complaint | undefined {
  const range = parseRange(value);
  if (range === undefined) {
    return {
      why: "is not an IPv4 range in CIDR form",
      instead: "Write four numbers up to 255 and a prefix length up to 32, e.g. 192.168.150.0/24.",
    };
  }
  if (rangeText(range) !== value) {
    return {
      why: "has bits set beyond its prefix: it is an address in a range, not a range",
      instead: `Write ${rangeText(range)}.`,
    };
  }
  return undefined;
}
