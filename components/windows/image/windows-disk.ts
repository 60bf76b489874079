import type { WantedDisk } from "../../machine/disk/examine-disk.ts";

/** Requirements of a disk with Windows Server; Microsoft requires at least 10 GiB for Core. */
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
