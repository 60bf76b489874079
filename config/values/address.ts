import { addressNumber } from "../ipv4.ts";
import type { Complaint } from "../problem.ts";

/** An IPv4 address in dotted form. */
export function address(value: string): Complaint | undefined {
  return addressNumber(value) === undefined
    ? {
        why: "is not an IPv4 address",
        instead:
          "Write four numbers up to 255, e.g. 192.168.150.10, or leave it out to be given one.",
      }
    : undefined;
}
