import type { Complaint } from "../problem.ts";

/** An account of a host with SSH: no host, no port, no spaces in it. */
export function loginName(value: string): Complaint | undefined {
  return /^[A-Za-z0-9_][A-Za-z0-9_.\\-]{0,63}$/.test(value)
    ? undefined
    : {
        why: "is not an account's name",
        instead: "Write the name alone, e.g. jump; host and port have settings of their own.",
      };
}
