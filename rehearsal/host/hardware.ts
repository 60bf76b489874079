import { totalmem } from "node:os";
import { statfs } from "node:fs/promises";

/** What a machine has, as Windows would report it. */
export interface Hardware {
  readonly memoryMiB: number;
  /** Free space of drive C:, in GiB. */
  freeDiskGiB(): Promise<number>;
}

/** The Linux machine's own memory and the free space below the folder that is drive C:. */
export function linuxHardware(driveC: string): Hardware {
  return {
    memoryMiB: Math.floor(totalmem() / 2 ** 20),
    async freeDiskGiB() {
      const { bavail, bsize } = await statfs(driveC);
      return Math.floor((bavail * bsize) / 2 ** 30);
    },
  };
}
