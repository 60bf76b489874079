import { distance } from "fastest-levenshtein";

import type { Complaint } from "../../../config/problem.ts";
import fields from "./felix-fields.json" with { type: "json" };

/** What the definition of Calico's resource FelixConfiguration says of a field. */
export interface FelixField {
  /** `int-or-string` as Kubernetes means it; the other names are those of JSON Schema. */
  readonly type: string;
  /** As the API server matches it, in Go's syntax. */
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/**
 * Fields of FelixConfiguration in the pinned Calico release, by name. test/engine/cni/calico.test.ts writes them from
 * the definitions in the operator's module, so that the settings can be checked before anything is downloaded.
 */
const felixFields: Readonly<Record<string, FelixField | undefined>> = fields;

/** What is wrong with the name of a field. */
export function felixNameComplaint(name: string): Complaint | undefined {
  if (Object.hasOwn(felixFields, name)) return undefined;
  const near = Object.keys(felixFields)
    .map((known) => ({ known, cost: distance(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ known, cost }) => cost <= Math.max(2, known.length / 4))
    .sort((one, other) => one.cost - other.cost)[0];
  return {
    why: "is not a field of FelixConfiguration",
    instead: near === undefined ? "Leave it out." : `Did you mean ${near.known}?`,
  };
}

/** What is wrong with the value of a field, which the API server would refuse. Unknown names have no wrong values. */
export function felixValueComplaint(
  name: string,
  value: string | number | boolean,
): Complaint | undefined {
  const field = Object.hasOwn(felixFields, name) ? felixFields[name] : undefined;
  if (field === undefined) return undefined;
  const { type, pattern, enum: choices, minimum = -Infinity, maximum = Infinity } = field;
  const expected = {
    integer: ["a whole number", Number.isInteger(value)] as const,
    boolean: ["true or false", typeof value === "boolean"] as const,
    string: ["text", typeof value === "string"] as const,
    "int-or-string": [
      "text or a whole number",
      typeof value === "string" || Number.isInteger(value),
    ] as const,
  }[type];
  if (expected === undefined) {
    return {
      why: `can't be set here, because the field ${name} holds a list or a group of values`,
      instead: "Leave it out, and set it with kubectl once the cluster runs.",
    };
  }
  const [kind, fits] = expected;
  if (!fits) return { why: `is not ${kind}`, instead: `Write ${kind}, as Calico defines ${name}.` };
  if (choices !== undefined && !choices.includes(String(value))) {
    return { why: "is not one of the choices", instead: `Write ${choices.join(" or ")}.` };
  }
  if (pattern !== undefined && !matches(pattern, String(value))) {
    const words = /^\^\(\?i\)\(([A-Za-z|]+)\)\?\$$/.exec(pattern)?.[1]?.split("|").join(" or ");
    return words === undefined
      ? { why: `does not match ${pattern}`, instead: `Write it in that form (${name} of Calico).` }
      : { why: "is not one of the choices", instead: `Write ${words}.` };
  }
  if (typeof value === "number" && (value < minimum || value > maximum)) {
    return {
      why: value < minimum ? `is less than ${minimum}` : `is more than ${maximum}`,
      instead: value < minimum ? `Write ${minimum} or more.` : `Write ${maximum} or less.`,
    };
  }
  return typeof value === "string" && value.length > (field.maxLength ?? Infinity)
    ? { why: `is longer than ${field.maxLength}`, instead: "Write less." }
    : undefined;
}

/** Go writes "regardless of case" at the beginning of the pattern, JavaScript beside it. */
function matches(pattern: string, value: string): boolean {
  const insensitive = pattern.startsWith("^(?i)");
  return new RegExp(pattern.replace("(?i)", ""), insensitive ? "i" : "").test(value);
}
