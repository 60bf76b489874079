import type { Complaint } from "../problem.ts";

/** SHA-256 of a file. */
export function sha256(value: string): Complaint | undefined {
  if (/^[0-9a-f]{64}$/.test(value)) {
    return undefined;
  }
  if (/^[0-9a-fA-F]{64}$/.test(value)) {
    return { why: "has digits in upper case", instead: `Write "${value.toLowerCase()}".` };
  }
  return {
    why: "is not a SHA-256",
    instead:
      "Write the 64 hexadecimal digits that `sha256sum FILE` prints, or leave it out and run `./kindows fetch`.",
  };
}
