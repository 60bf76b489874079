import type { WantedDisk } from "../../machine/disk/examine-disk.ts";

/** Requirements of a cloud image; the smallest ones have 2 GiB. */
export const cloudImageDisk: WantedDisk = {
  formats: ["qcow2", "raw", "vpc", "vhdx"],
  called: "qcow2, raw, VHD or VHDX",
  isNone: "neither qcow2 nor raw, VHD or VHDX",
  minimumGiB: 0.5,
  tooSmall: {
    why: "on which no cloud image of Debian or Ubuntu fits",
    instead: "Write the path of a whole cloud image; a file system alone is none.",
  },
};
