import type { Complaint } from "../problem.ts";

const maxLength = 20;

/** A local Windows account: at most 20 characters, none of those Windows forbids. */
export function adminUser(value: string): Complaint | undefined {
  return /^[A-Za-z][A-Za-z0-9._-]*$/.test(value) && value.length <= maxLength
    ? undefined
    : {
        why: "is not a local Windows account name",
        instead: `Write at most ${maxLength} letters, digits, ., _ and -, starting with a letter, e.g. Administrator.`,
      };
}
