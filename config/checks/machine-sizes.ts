import type { Check, SettingsProblem } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";

/** What Windows Server needs at least, from Microsoft's hardware requirements; the rehearsal guest gets by with less. */
const windowsMinimum = { memoryMiB: 2048, diskGiB: 32 } as const;

const sizes = ["memoryMiB", "diskGiB"] as const;

/** Machines with real Windows are large enough for it. */
export const machineSizes: Check<NamedSettings> = {
  reads: ["windows.image", "windows.image.kind"],
  run(settings) {
    if (settings.windows.image.kind === "rehearsal") {
      return [];
    }
    return sizes.flatMap((size) => tooSmall(settings, size));
  },
};

function tooSmall(settings: NamedSettings, size: (typeof sizes)[number]): SettingsProblem[] {
  const minimum = windowsMinimum[size];
  const given = [
    { path: ["windows", size], value: settings.windows[size] },
    ...settings.nodes.map((node, index) => ({
      path: ["nodes", index, size],
      value: node.os === "windows" ? node[size] : undefined,
    })),
  ];
  return given
    .filter(({ value }) => value !== undefined && value < minimum)
    .map(({ path, value }) => ({
      path,
      value,
      why: "is too little for Windows Server",
      instead: `Write ${minimum} or more.`,
    }));
}
