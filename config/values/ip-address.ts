import { addressNumber, parseRange, rangeText } from "../ipv4.ts";
import type { Complaint } from "../problem.ts";
import { ofForm, type Validator } from "./value.ts";

/** An IPv4 range in CIDR form, host bits zero; `example` is one to propose. */
export function cidr(example: string): Validator {
  return (value) => {
    const range = parseRange(value);
    if (range === undefined) {
      return {
        why: "is not an IPv4 range in CIDR form",
        instead: `Write four numbers up to 255 and a prefix length up to 32, e.g. ${example}.`,
      };
    }
    return rangeText(range) === value
      ? undefined
      : {
          why: "has bits set beyond its prefix: it is an address in a range, not a range",
          instead: `Write ${rangeText(range)}.`,
        };
  };
}

export function ipv4(instead: string): Validator {
  return ofForm((value) => addressNumber(value) !== undefined, "is not an IPv4 address", instead);
}

export const machineAddress = ipv4(
  "Write the four numbers up to 255 of the machine's own, e.g. 192.0.2.10.",
);

const ownAddress = ipv4(
  "Write four numbers up to 255, or leave it out for the machine's own address.",
);

/** An IPv4 address kubelet can register a node with; it refuses the others. */
export function nodeIp(value: string): Complaint | undefined {
  const malformed = ownAddress(value);
  if (malformed !== undefined) return malformed;
  const first = Number(value.split(".")[0]);
  const kind =
    first === 127
      ? "a loopback address"
      : first === 0
        ? "an unspecified address"
        : first >= 224
          ? "a multicast or reserved address"
          : value.startsWith("169.254.")
            ? "a link-local address"
            : undefined;
  return kind === undefined
    ? undefined
    : {
        why: `is ${kind}, which kubelet refuses as a node's`,
        instead: "Write an address that other nodes reach the machine at, or leave it out.",
      };
}

/** Stands in for an address with a mistake; another one for each place (RFC 5737: nobody has it). */
export function someAddress(place: number): string {
  return `192.0.${2 + (place >> 8)}.${place % 256}`;
}
