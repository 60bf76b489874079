import type { WantedDisk } from "../../machine/disk/examine-disk.ts";

/** One with Windows Server: Setup makes Core of 10 GiB at least, and Microsoft asks for that. */
export const windowsDisk: WantedDisk = {
  formats: ["qcow2", "vpc", "vhdx"],
  called: "qcow2, VHD or VHDX",
  isNone: "neither qcow2 nor VHD or VHDX",
  minimumGiB: 10,
  tooSmall: {
    why: "on which no Windows Server fits",
    instead: "Write the path of the disk Windows was installed on.",
  },
};
