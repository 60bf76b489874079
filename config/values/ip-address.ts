import { addressNumber, parseRange, rangeText } from "../ipv4.ts";
import type { Complaint } from "../problem.ts";
import { ofForm, type Validator } from "./value.ts";

/** Checks that a value is an IPv4 range in CIDR form whose host bits are zero. @param example proposed in errors. */
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
  "Write the machine's address as four numbers up to 255, e.g. 192.0.2.10.",
);

const ownAddress = ipv4(
  "Write four numbers up to 255, or leave it out for the machine's own address.",
);

const refusedByKubelet: readonly (readonly [form: RegExp, kind: string])[] = [
  [/^127\./, "a loopback address"],
  [/^0\./, "an unspecified address"],
  [/^(22[4-9]|2[345][0-9])\./, "a multicast or reserved address"],
  [/^169\.254\./, "a link-local address"],
];

/** Checks that kubelet can register a node with an IPv4 address. */
export function nodeIp(value: string): Complaint | undefined {
  const [, kind] = refusedByKubelet.find(([form]) => form.test(value)) ?? [];
  const malformed = ownAddress(value);
  if (malformed !== undefined || kind === undefined) return malformed;
  return {
    why: `is ${kind}, which kubelet refuses as a node's address`,
    instead: "Write the address at which other nodes reach the machine, or leave it out.",
  };
}

/** Placeholder for an invalid address, different for each list entry (RFC 5737 reserves 192.0.2.0/24 for examples). */
export function someAddress(index: number): string {
  return `192.0.${2 + (index >> 8)}.${index % 256}`;
}
