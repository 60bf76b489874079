import type { Check } from "./check.ts";

/** Checksums that nothing would look at. */
export const rehearsalChecksums: Check = {
  reads: ["windows.checksums", "windows.image.kind"],
  run: ({ windows }) =>
    windows.image.kind !== "rehearsal"
      ? []
      : Object.entries(windows.checksums).map(([name, value]) => ({
          path: ["windows", "checksums", name],
          value,
          why: "has no effect: the rehearsal image carries its programs and their checksums",
          instead: "Leave it out.",
        })),
};
