import { addressNumber } from "../ipv4.ts";
import type { Complaint } from "../problem.ts";

/** The IPv4 address of a DNS server that a machine can ask. */
export function dnsServer(value: string): Complaint | undefined {
  if (addressNumber(value) === undefined) {
    return {
      why: "is not an IPv4 address",
      instead: "Write the four numbers up to 255 of a DNS server, e.g. 1.1.1.1; no name, no port.",
    };
  }
  const first = Number(value.split(".")[0]);
  const kind =
    first === 127
      ? "is the machine itself, which answers no names"
      : first === 0 || first >= 224
        ? "is no address of a single host"
        : undefined;
  return kind === undefined
    ? undefined
    : { why: kind, instead: "Write the address of a DNS server that the machines reach." };
}
