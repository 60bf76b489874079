import type { Complaint } from "../problem.ts";

const key = /^[0-9A-Z]{5}(-[0-9A-Z]{5}){4}$/;

/** Product key of Windows. */
export function productKey(value: string): Complaint | undefined {
  if (key.test(value)) {
    return undefined;
  }
  return key.test(value.toUpperCase())
    ? { why: "has small letters", instead: "Write all letters of it as capitals." }
    : {
        why: "is not a product key",
        instead: "Write five groups of five capital letters and digits, separated by dashes.",
      };
}
