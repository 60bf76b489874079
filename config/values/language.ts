import type { Complaint } from "../problem.ts";

/** Language of a Windows, as its media call it. */
export function language(value: string): Complaint | undefined {
  return /^[a-z]{2,3}(-[A-Z][a-z]{3})?-[A-Z]{2}$/.test(value)
    ? undefined
    : { why: "is not a language as Windows writes it", instead: "Write one like en-US." };
}
