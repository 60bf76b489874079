import { chmod } from "node:fs/promises";
import path from "node:path";
import type { Artifact } from "../../../toolchain/artifact.ts";
import type { Cache } from "../../../toolchain/cache.ts";
import { digestOfFile } from "../../../toolchain/file-digest.ts";
import { flushFile } from "../../../toolchain/flush-file.ts";
import { convertDisk } from "../../machine/disk/convert-disk.ts";
import { examineDisk, type WantedDisk } from "../../machine/disk/examine-disk.ts";
import { requireRoom } from "../../machine/disk/require-room.ts";

/** Name of the disk in its folder in the cache. */
export const convertedImageName = "linux.qcow2";

/** What a cloud image must be; the smallest ones are of 2 GiB. */
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

/**
 * A cloud image as qcow2: converted once, and kept in the cache under its content's hash.
 *
 * Building it throws MediaError for a disk that is no good, and where there is no room.
 */
export function convertedCloudImage(source: string, cache: Cache): Artifact {
  return {
    name: "cloud-image",
    needs: [],
    hostPackages: ["qemu-utils"],
    inputs: async () => ({ sha256: await digestOfFile(source, cache) }),
    build: async (into, { progress }) => {
      const { format, actualGiB } = await examineDisk(source, cloudImageDisk);
      await requireRoom(into, actualGiB, `converting ${source}`);
      progress(`converts ${source}, ${actualGiB.toFixed(1)} GiB`);
      const disk = path.join(into, convertedImageName);
      await convertDisk(source, format, disk);
      await chmod(disk, 0o600);
      await flushFile(disk);
    },
  };
}
