import { rehearsalVersions } from "../supported.ts";
import type { Check } from "./check.ts";

const versions = [
  { key: "version", only: rehearsalVersions.windows },
  { key: "containerdVersion", only: rehearsalVersions.containerd },
] as const;

/** A rehearsal is of the versions its image holds. */
export const rehearsalImage: Check = {
  reads: ["windows.version", "windows.containerdVersion", "windows.image.kind"],
  run: ({ windows }) =>
    windows.image.kind !== "rehearsal"
      ? []
      : versions
          .filter(({ key, only }) => windows[key] !== only)
          .map(({ key, only }) => ({
            path: ["windows", key],
            value: windows[key],
            why: "is not what the rehearsal image holds",
            instead: `Write "${only}", or leave it out.`,
          })),
};
