import { statSync } from "node:fs";
import { chmod } from "node:fs/promises";
import path from "node:path";
import type { Artifact } from "../../../toolchain/artifact.ts";
import type { BuiltArtifacts } from "../../../toolchain/built.ts";
import type { Cache } from "../../../toolchain/cache.ts";
import { digestOfFile } from "../../../toolchain/file-digest.ts";
import { flushFile } from "../../../toolchain/flush-file.ts";
import { examineDisk, type WantedDisk } from "./examine-disk.ts";
import { MediaError, runMediaProgram } from "./media-program.ts";
import { requireRoom } from "./require-room.ts";

const timeoutSeconds = 2 * 3600;

/** Name of the disk in its folder in the cache. */
export const convertedDiskName = "disk.qcow2";

/**
 * A disk of the user's as qcow2: converted once, and kept in the cache under its content's hash, so that a changed disk
 * is another image and never touches the machines that stand on the old one.
 *
 * Building it throws MediaError for a disk that is not as wanted or was written to meanwhile, and where there is no
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

/** What is noted of a disk once it is converted, by its path: a program that finds it unchanged takes the copy. */
export async function convertedDiskNote(
  source: string,
  folder: string,
  cache: Cache,
): Promise<NonNullable<BuiltArtifacts["convertedDisks"]>> {
  const { size, mtimeMs } = statSync(source);
  const hash = (await digestOfFile(source, cache)).slice(0, 12);
  return { [source]: { size, mtimeMs, path: path.join(folder, convertedDiskName), hash } };
}
