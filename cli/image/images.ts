import { imageArtifactName } from "../../components/windows/image/builder/image-artifact.ts";
import { readImageNote } from "../../components/windows/image/builder/image-note.ts";
import type { ImageNote } from "../../components/windows/image/builder/image-note.ts";
import type { Cache } from "../../toolchain/cache.ts";
import { cacheEntries } from "../cache/entries.ts";
import type { CacheEntry } from "../cache/entries.ts";

/** An image that was made here, for all stacks and clones. */
export interface MadeImage extends CacheEntry {
  /** Undefined for one that is not whole. */
  readonly note: ImageNote | undefined;
  /** What keeps it from going, as in "the lab kindows-dev has it". */
  readonly uses: readonly string[];
}

/** What a name of an image in use says of it; see `imageUses`. */
export interface ImageUse {
  /** First digits of the hash. */
  readonly hash: string;
  readonly why: string;
}

/** Entries of all images of the cache, biggest first. */
export async function imageEntries(cache: Cache): Promise<CacheEntry[]> {
  return (await cacheEntries(cache)).filter(({ address }) =>
    address.startsWith(`${imageArtifactName}-`),
  );
}

/** What is known of images, in their order. */
export async function madeImages(
  cache: Cache,
  entries: readonly CacheEntry[],
  uses: readonly ImageUse[],
): Promise<MadeImage[]> {
  return Promise.all(
    entries.map(async (entry) => ({
      ...entry,
      note: await readImageNote(cache.entryFolder(entry.address)),
      uses: uses
        .filter(({ hash }) => entry.address.startsWith(`${imageArtifactName}-${hash}`))
        .map(({ why }) => why),
    })),
  );
}
