import { addressNumber } from "../ipv4.ts";
import type { Complaint } from "../problem.ts";

/** The IPv4 address of a machine that is there. */
export function machineAddress(value: string): Complaint | undefined {
  return addressNumber(value) === undefined
    ? {
        why: "is not an IPv4 address",
        instead: "Write the four numbers up to 255 of the machine's own, e.g. 192.0.2.10.",
      }
    : undefined;
}
