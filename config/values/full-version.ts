import semver from "semver";
import type { Complaint } from "../problem.ts";

/** A released version in three numbers, without a leading v. */
export function fullVersion(value: string): Complaint | undefined {
  if (/^\d+\.\d+\.\d+$/.test(value) && semver.valid(value) === value) {
    return undefined;
  }
  const nearest = /^\d+\.\d+$/.test(value)
    ? `${value}.0`
    : (/^v?(\d+\.\d+\.\d+)/.exec(value)?.[1] ?? "1.36.4");
  return {
    why: "is not a version of three numbers without a leading v",
    instead: `Write one in full and in quotes, e.g. "${nearest}".`,
  };
}
