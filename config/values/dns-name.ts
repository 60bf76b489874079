import { addressNumber } from "../ipv4.ts";
import { maxComputerNameLength } from "../names.ts";
import type { Complaint } from "../problem.ts";
import { ofForm, type Validator } from "./value.ts";

const label = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const maxDomainLength = 200;

export function dnsLabel(maxLength: number): Validator {
  return (value) => {
    if (value !== value.toLowerCase() && label.test(value.toLowerCase())) {
      return { why: "has upper-case letters", instead: `Write ${value.toLowerCase()}.` };
    }
    if (!label.test(value)) {
      return {
        why: "is not a DNS label",
        instead: "Use lower-case letters, digits and - only, with a letter or digit at both ends.",
      };
    }
    if (value.length > maxLength) {
      return {
        why: `has ${value.length} characters`,
        instead: `Write a name of at most ${maxLength}, e.g. ${value.slice(0, maxLength).replace(/-+$/, "")}.`,
      };
    }
    return undefined;
  };
}

/** Checks that Windows accepts a node name unchanged as its computer name. */
export function computerName(value: string): Complaint | undefined {
  const complaint = dnsLabel(maxComputerNameLength)(value);
  if (complaint !== undefined && value.length > maxComputerNameLength && label.test(value)) {
    return {
      ...complaint,
      why: `has ${value.length} characters; Windows cuts computer names off at ${maxComputerNameLength}`,
    };
  }
  if (complaint === undefined && /^\d+$/.test(value)) {
    return {
      why: "has only digits, which Windows refuses as a computer name",
      instead: `Write a name with at least one letter, e.g. win-${value}.`,
    };
  }
  return complaint;
}

export const dnsDomain = ofForm(
  (value) =>
    value.length <= maxDomainLength &&
    value.split(".").every((part) => dnsLabel(63)(part) === undefined),
  "is not a DNS domain",
  "Write lower-case labels with dots between them, e.g. dev.kindows.test.",
);

export const hostName = ofForm(
  (value) =>
    /^[\d.]+$/.test(value) ? addressNumber(value) !== undefined : dnsDomain(value) === undefined,
  "is neither an IPv4 address nor a DNS name",
  "Write the address or name without user and port, e.g. 192.0.2.10 or host.example.com.",
);

/** Placeholder for an invalid name, different for each list entry. */
export function unnamed(index: number): string {
  return `unnamed-${index}`;
}
