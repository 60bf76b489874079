import { chmod } from "node:fs/promises";
import path from "node:path";
import type { Artifact } from "../../../toolchain/artifact.ts";
import type { Cache } from "../../../toolchain/cache.ts";
import { digestOfFile } from "../../../toolchain/file-digest.ts";
import { flushFile } from "../../../toolchain/flush-file.ts";
import { convertDisk } from "../../machine/disk/convert-disk.ts";
import { examineDisk } from "../../machine/disk/examine-disk.ts";
import { MediaError } from "../../machine/disk/media-error.ts";
import { requireRoom } from "../../machine/disk/require-room.ts";
import { windowsDisk } from "./windows-disk.ts";

/** Name of the disk in its folder in the cache. */
export const convertedDiskName = "windows.qcow2";

/**
 * A disk of the user's as qcow2: converted once, and kept in the cache under its content's hash, so that a changed disk
 * is another image and never touches the machines that stand on the old one.
 *
 * Building it throws MediaError for a disk that is no good, and where there is no room.
 */
export function convertedDisk(source: string, cache: Cache): Artifact {
  return {
    name: "windows-disk",
    needs: [],
    hostPackages: ["qemu-utils"],
    inputs: async () => ({ sha256: await digestOfFile(source, cache) }),
    build: async (into, { progress }) => {
      const before = await digestOfFile(source, cache);
      const { format, actualGiB, virtualGiB } = await examineDisk(source, windowsDisk);
      await requireRoom(into, actualGiB, `converting ${source}`);
      progress(
        `converts ${source}: ${virtualGiB.toFixed(0)} GiB, of which ${actualGiB.toFixed(1)} hold something`,
      );
      const disk = path.join(into, convertedDiskName);
      await convertDisk(source, format, disk);
      if ((await digestOfFile(source, cache)) !== before) {
        throw new MediaError([
          {
            subject: source,
            why: "was written to while it was converted",
            instead: "Shut down the machine that uses it, then run again.",
          },
        ]);
      }
      await chmod(disk, 0o600);
      await flushFile(disk);
    },
  };
}
