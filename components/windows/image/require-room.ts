import path from "node:path";
import { freeGiB } from "../../../toolchain/free-space.ts";
import { MediaError } from "./media-error.ts";

/**
 * Asked before anything large is made.
 *
 * @param into folder of a build, in the cache.
 * @param what takes the room, as in "making the image".
 * @throws MediaError with the need, where the file system has less room.
 */
export async function requireRoom(into: string, neededGiB: number, what: string): Promise<void> {
  const free = await freeGiB(into);
  if (free < neededGiB) {
    throw new MediaError([
      {
        subject: `The file system of ${path.dirname(into)}`,
        why: `has ${free.toFixed(1)} GiB free, and ${what} takes ${neededGiB.toFixed(1)} GiB`,
        instead:
          "Make room (`./kindows image prune`, `./kindows cache prune`), or set KINDOWS_CACHE to a folder that has it.",
      },
    ]);
  }
}
