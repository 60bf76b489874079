import type { DiskLayout } from "../../../toolchain/boot-disk.ts";

/** Layout of the image's disk. */
export const builtDisk: DiskLayout = {
  // cloud-init grows the last partition to what the machine's disk has.
  diskGiB: 4,
  bootMiB: 96,
  // Messages go to the serial console, where they can be read from outside.
  kernelArguments: "root=/dev/vda2 rw console=tty0 console=ttyS0 quiet panic=10",
};
