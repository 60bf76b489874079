import { parseRange, rangeText } from "../ipv4.ts";
import type { Complaint } from "../problem.ts";
import type { Judge } from "./value.ts";

/** An IPv4 range in CIDR form, host bits zero; `example` is one to propose. */
export function cidr(example: string): Judge {
  return (value) => judge(value, example);
}

function judge(value: string, example: string): Complaint | undefined {
  const range = parseRange(value);
  if (range === undefined) {
    return {
      why: "is not an IPv4 range in CIDR form",
      instead: `Write four numbers up to 255 and a prefix length up to 32, e.g. ${example}.`,
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
