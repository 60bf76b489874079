import type { DiskLayout } from "../../toolchain/boot-disk.ts";

export const builtDisk: DiskLayout = {
  // cloud-init grows the last partition to the size of the machine's disk.
  diskGiB: 4,
  bootMiB: 96,
  // Messages also go to the serial console, where the host can read them.
  kernelArguments: "root=/dev/vda2 rw console=tty0 console=ttyS0 quiet panic=10",
};
