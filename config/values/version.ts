import semver from "semver";
import type { Validator } from "./value.ts";

export function nearestVersion(version: string, supported: readonly string[]): string {
  const wanted = semver.coerce(version) ?? new semver.SemVer("0.0.0");
  const sorted = semver.sort([...supported]);
  const sameMinor = sorted.filter((one) =>
    semver.satisfies(one, `~${wanted.major}.${wanted.minor}`),
  );
  return sameMinor.at(-1) ?? sorted.find((one) => semver.gt(one, wanted)) ?? sorted.at(-1) ?? "";
}

export function oneOfVersions(what: string, supported: readonly string[]): Validator {
  return (value) => {
    if (supported.includes(value)) return undefined;
    const nearest = nearestVersion(value, supported);
    if (value.startsWith("v") && supported.includes(value.slice(1))) {
      return { why: "has a leading v", instead: `Write "${nearest}".` };
    }
    return {
      why: `is not a supported ${what} version (supported: ${supported.join(", ")})`,
      instead: `Write "${nearest}".`,
    };
  };
}
