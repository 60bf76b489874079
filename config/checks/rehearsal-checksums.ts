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

const ofFlannel = ["flannel", "flannelPlugin", "cniPlugins"] as const;

/** As above: Flannel's programs are installed where it is the pod network. */
export const flannelChecksums: Check = {
  reads: ["windows.checksums", "windows.image.kind", "cni.kind"],
  run: ({ windows, cni }) =>
    windows.image.kind === "rehearsal" || cni.kind === "flannel"
      ? []
      : ofFlannel.flatMap((name) => {
          const value = windows.checksums[name];
          return value === undefined
            ? []
            : [
                {
                  path: ["windows", "checksums", name],
                  value,
                  why: `has no effect: kindows:cni.kind is ${cni.kind}`,
                  instead: "Leave it out, or write flannel for kindows:cni.kind.",
                },
              ];
        }),
};
