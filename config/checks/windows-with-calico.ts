import type { Check } from "./check.ts";

/** Calico's Windows support ends at Server 2022. */
export const windowsWithCalico: Check = {
  reads: ["windows.version", "cni.kind"],
  run: ({ windows, cni }) =>
    windows.version === "2025" && cni.kind === "calico"
      ? [
          {
            path: ["windows", "version"],
            value: windows.version,
            why: "can't be used with kindows:cni.kind calico: Calico 3.32 supports Windows Server up to 2022 (projectcalico/calico issue 11691)",
            instead: 'Write "2022", or choose another kindows:cni.kind.',
          },
        ]
      : [],
};
