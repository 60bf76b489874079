import { between } from "./value.ts";

/** A larger memory must have been meant in bytes or KiB, and a larger disk in MiB: 2 TiB is the largest that boots. */
const [largestMemoryMiB, largestDiskGiB] = [1024 * 1024, 2048];

export const machineSize = {
  cpus: between(1, 64).meta({
    description:
      "Virtual processors. Windows should have two. Under emulation (`qemu`), one does the same work with a third less processor time of the host.",
    unit: "processors",
  }),
  memoryMiB: between(1024, largestMemoryMiB).meta({
    description: "Memory of a machine. Windows needs at least 2048.",
    unit: "MiB",
  }),
  diskGiB: between(4, largestDiskGiB).meta({
    description:
      "Size of the disk. Windows needs at least 32. On the host, it takes up only the space that is written.",
    unit: "GiB",
  }),
};
