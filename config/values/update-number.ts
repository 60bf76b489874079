import type { Complaint } from "../problem.ts";

/** Number of an update of Microsoft's. */
export function updateNumber(value: string): Complaint | undefined {
  return /^KB[0-9]{7}$/.test(value)
    ? undefined
    : { why: "is not the number of an update", instead: "Write one like KB5044281." };
}
