import type { Complaint } from "../problem.ts";

/** Name of a Hyper-V switch, which must be able to stand on a command line. */
export function virtualSwitch(value: string): Complaint | undefined {
  return /^[\w(][\w .()-]{0,63}$/.test(value) && !value.endsWith(" ")
    ? undefined
    : {
        why: "is no name that can be passed to the host",
        instead:
          "Give the switch a name of at most 64 letters, digits, spaces, _ . ( ) and - (Rename-VMSwitch), and write that.",
      };
}
