import { generationOf, startOf } from "../sections/hyper-v-hosts.ts";
import { pathText } from "../problem.ts";
import type { Check, SettingsProblem } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";

/** What starts on Hyper-V is Windows: the rehearsal's guest has drivers for QEMU's devices only. */
export const hyperVWithWindows: Check<NamedSettings> = {
  reads: ["hyperVHosts", "windows.image.kind"],
  run: ({ hyperVHosts, windows }) =>
    hyperVHosts.length > 0 && windows.image.kind === "rehearsal"
      ? [
          {
            path: ["hyperVHosts"],
            value: hyperVHosts.map(({ name }) => name).join(", "),
            why: "would have to run the rehearsal's guest, which starts with QEMU only",
            instead: "Leave them out, or write a windows.image of Windows.",
          },
        ]
      : [],
};

/** Machines start as their image was installed. */
export const hyperVGeneration: Check<NamedSettings> = {
  reads: ["hyperVHosts", "windows.image.kind", "windows.image.firmware"],
  run: ({ hyperVHosts, windows: { image } }) =>
    hyperVHosts.flatMap((host, index): SettingsProblem[] => {
      const wanted = generationOf(image);
      const { generation } = startOf(host, image);
      if (wanted !== undefined && generation !== wanted) {
        return [
          {
            path: ["hyperVHosts", index, "generation"],
            value: generation,
            why: `does not start an image that was installed with ${wanted === 2 ? "UEFI" : "BIOS"}, as ${pathText(["windows", "image", "firmware"])} says`,
            instead: `Write ${wanted}, or leave it out.`,
          },
        ];
      }
      return host.secureBoot === true && generation === 1
        ? [
            {
              path: ["hyperVHosts", index, "secureBoot"],
              value: true,
              why: "is for machines of generation 2, and these are of generation 1",
              instead:
                "Leave it out, or write generation: 2 for an image that was installed with UEFI.",
            },
          ]
        : [];
    }),
};
