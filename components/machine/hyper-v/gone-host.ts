import { goneVariable } from "../existing/machine-parameter.ts";

/** Whether a host is said to be gone for good. */
export function isGone(name: string): boolean {
  return (process.env[goneVariable] ?? "")
    .split(",")
    .map((each) => each.trim())
    .includes(name);
}
