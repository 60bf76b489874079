import { podNetworks } from "../../components/cni/registry.ts";
import type { Check } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";

/** Unused checksums: a pod network's programs are only installed if it is chosen. */
export const podNetworkPrograms: Check<NamedSettings> = {
  reads: ["windows.checksums", "windows.image.kind", "cni.kind"],
  run: ({ windows, cni }) =>
    windows.image.kind === "rehearsal"
      ? []
      : Object.entries(podNetworks)
          .flatMap(([kind, { programs }]) => Object.keys(programs).map((name) => ({ kind, name })))
          .flatMap(({ kind, name }) => {
            const value = Object.entries(windows.checksums).find(([key]) => key === name)?.[1];
            return value === undefined || name in podNetworks[cni.kind].programs
              ? []
              : [
                  {
                    path: ["windows", "checksums", name],
                    value,
                    why: `has no effect: kindows:cni.kind is ${cni.kind}`,
                    instead: `Leave it out, or write ${kind} for kindows:cni.kind.`,
                  },
                ];
          }),
};
