import { readdir } from "node:fs/promises";
import path from "node:path";
import { PartialImage } from "../../components/windows/image/builder/partial-image.ts";
import type { Cache } from "../../toolchain/cache.ts";
import { bytesBelow } from "../cache/entries.ts";
import { isLivingBuild } from "../../toolchain/living-build.ts";

/** An image whose making is under way, or was cut off. */
export interface UnfinishedImage {
  readonly address: string;
  readonly bytes: number;
  /** What is known of it, in few words. */
  readonly what: string;
  readonly isUnderWay: boolean;
}

/** Disks of images that are being made, and of those whose builder was killed. */
export async function unfinishedImages(cache: Cache): Promise<UnfinishedImage[]> {
  const addresses = await readdir(cache.partialFolder).catch(() => [] as string[]);
  return Promise.all(
    addresses.sort().map(async (address) => {
      const isUnderWay = await isLivingBuild(cache, address);
      const cutOff = await new PartialImage(cache, address).cutOff();
      const end =
        cutOff === "in Setup" ? "the next build starts over" : "the next build continues it";
      return {
        address,
        bytes: await bytesBelow(path.join(cache.partialFolder, address)),
        what: isUnderWay ? "is being made" : `was cut off: ${end}`,
        isUnderWay,
      };
    }),
  );
}
