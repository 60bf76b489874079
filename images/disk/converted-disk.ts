import { statSync } from "node:fs";
import { chmod } from "node:fs/promises";
import path from "node:path";
import type { Artifact } from "../../toolchain/artifact.ts";
import type { BuiltArtifacts } from "../../toolchain/built.ts";
import type { Cache } from "../../toolchain/cache.ts";
import { digestOfFile } from "../../toolchain/file-digest.ts";
import { flushFile } from "../../toolchain/flush-file.ts";
import { examineDisk, type WantedDisk } from "./examine-disk.ts";
import { MediaError, runMediaProgram } from "./media-program.ts";
import { requireRoom } from "./require-room.ts";

const timeoutSeconds = 2 * 3600;

/** Name of the converted disk in its folder in the cache. */
export const convertedDiskName = "disk.qcow2";

/**
 * A user's disk, converted to qcow2. It is kept in the cache under the hash of its content, so that a changed disk
 * becomes another image, and machines that use the old image as their base are not affected.
 *
 * Building it throws MediaError if the disk is not as wanted or is written to meanwhile, or if there is not enough
 * room.
 */
export function convertedDisk(source: string, wanted: WantedDisk, cache: Cache): Artifact {
  return {
    name: "converted-disk",
    needs: [],
    hostPackages: ["qemu-utils"],
    inputs: async () => ({ sha256: await digestOfFile(source, cache) }),
    build: async (into, { progress }) => {
      const before = await digestOfFile(source, cache);
      const { format, actualGiB, virtualGiB } = await examineDisk(source, wanted);
      await requireRoom(into, actualGiB, `converting ${source}`);
      progress(
        `converts ${source}: ${virtualGiB.toFixed(0)} GiB, of which ${actualGiB.toFixed(1)} hold something`,
      );
      const disk = path.join(into, convertedDiskName);
      const args = ["convert", "-f", format, "-O", "qcow2", "--", source, disk];
      const run = await runMediaProgram("qemu-img", args, timeoutSeconds);
      if (run.how !== "well") {
        throw new MediaError({
          subject: source,
          why: `can't be converted: ${run.reason.split("\n")[0] ?? ""}`,
          instead: "It may be damaged or cut off: copy or export it again.",
        });
      }
      if ((await digestOfFile(source, cache)) !== before) {
        throw new MediaError({
          subject: source,
          why: "was written to while it was converted",
          instead: "Shut down the machine that uses it, then run again.",
        });
      }
      await chmod(disk, 0o600);
      await flushFile(disk);
    },
  };
}

/** Notes the converted copy of a disk by the disk's path. As long as the disk is unchanged, programs use the copy. */
export async function convertedDiskNote(
  source: string,
  folder: string,
  cache: Cache,
): Promise<NonNullable<BuiltArtifacts["convertedDisks"]>> {
  const { size, mtimeMs } = statSync(source);
  const hash = (await digestOfFile(source, cache)).slice(0, 12);
  return { [source]: { size, mtimeMs, path: path.join(folder, convertedDiskName), hash } };
}
