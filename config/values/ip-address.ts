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

const refusedByKubelet: readonly (readonly [form: RegExp, kind: string])[] = [
  [/^127\./, "a loopback address"],
  [/^0\./, "an unspecified address"],
  [/^(22[4-9]|2[345][0-9])\./, "a multicast or reserved address"],
  [/^169\.254\./, "a link-local address"],
];

/** An IPv4 address kubelet can register a node with. */
export function nodeIp(value: string): Complaint | undefined {
  const [, kind] = refusedByKubelet.find(([form]) => form.test(value)) ?? [];
  const malformed = ownAddress(value);
  if (malformed !== undefined || kind === undefined) return malformed;
  return {
    why: `is ${kind}, which kubelet refuses as a node's`,
    instead: "Write an address that other nodes reach the machine at, or leave it out.",
  };
}

/** Stands in for an address with a mistake; another one for each place (RFC 5737: nobody has it). */
export function someAddress(place: number): string {
  return `192.0.${2 + (place >> 8)}.${place % 256}`;
}
