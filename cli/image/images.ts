import { readdir } from "node:fs/promises";
import path from "node:path";

import { imageArtifactName, windowsImage } from "../../images/windows/builder/image-artifact.ts";
import {
  readImageNote,
  type ImageNote,
  PartialImage,
} from "../../images/windows/builder/partial-image.ts";
import { type Cache, artifactAddress } from "../../toolchain/cache.ts";
import { cacheEntries, type CacheEntry, bytesBelow } from "../cache/entries.ts";
import { isMadeFromIso } from "../../config/sections/windows-image.ts";
import { lines, type Host } from "../../host/host.ts";
import { virsh } from "../../host/virsh.ts";
import { isLabPrefix } from "../../components/host-resource.ts";
import { volumesOf } from "../../components/machine/libvirt/storage.ts";
import { knownStacks, stackSettings } from "../stack-settings.ts";

/** An image that was built here, for all stacks and clones. */
interface MadeImage extends CacheEntry {
  readonly note: ImageNote | undefined;
  /** What uses it and so prevents its removal, e.g. `lab kindows-dev`. */
  readonly uses: readonly string[];
}

/** A use of an image, by the hash in its name. */
interface ImageUse {
  readonly hash: string;
  readonly why: string;
}

/**
 * Images of the cache, biggest first, with what uses them. If there are none, libvirt need not run.
 *
 * @param whenSilent called if libvirt does not answer, for the labs' uses to assume. Default: that is an error.
 */
export async function madeImages(
  cache: Cache,
  host: Host,
  whenSilent?: (error: unknown) => ImageUse[],
): Promise<MadeImage[]> {
  const isImage = ({ address }: CacheEntry): boolean => address.startsWith(`${imageArtifactName}-`);
  const entries = (await cacheEntries(cache)).filter(isImage);
  if (entries.length === 0) return [];
  const byLabs = await usedByLabs(host).catch((error: unknown) => {
    if (whenSilent === undefined) throw error;
    return whenSilent(error);
  });
  const uses = [...byLabs, ...(await wantedByStacks(cache))];
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

/** An image that is being built, or whose build was interrupted. */
interface UnfinishedImage {
  readonly address: string;
  readonly bytes: number;
  readonly what: string;
  readonly isUnderWay: boolean;
}

export async function unfinishedImages(cache: Cache): Promise<UnfinishedImage[]> {
  const addresses = await readdir(cache.partialFolder).catch(() => [] as string[]);
  return Promise.all(
    addresses.sort().map(async (address) => {
      const isUnderWay = await cache.isLivingBuild(address);
      const interruption = await new PartialImage(cache, address).cutOff();
      const end =
        interruption === "in Setup" ? "the next build starts over" : "the next build continues it";
      return {
        address,
        bytes: await bytesBelow(path.join(cache.partialFolder, address)),
        what: isUnderWay ? "is being built" : `was interrupted: ${end}`,
        isUnderWay,
      };
    }),
  );
}

/**
 * Images on which labs of this host base their machines' disks: a pool has a copy, named by the image's hash.
 *
 * @throws if libvirt is installed and does not answer.
 */
export async function usedByLabs(host: Host): Promise<ImageUse[]> {
  const pools = lines(await virsh(host, "pool-list", "--name")).filter(isLabPrefix);
  const found = await Promise.all(
    pools.map(async (pool) =>
      (await volumesOf(host, pool)).flatMap(({ name }) => {
        const hash = hashOfVolume(pool, name);
        return hash === undefined ? [] : [{ hash, why: `lab ${pool}` }];
      }),
    ),
  );
  return found.flat();
}

/** Hash in the name of a pool's golden image; see `MachineStorage`. */
function hashOfVolume(pool: string, volume: string): string | undefined {
  const rest = volume.startsWith(`${pool}-`) ? volume.slice(pool.length + 1) : "";
  return /^([0-9a-f]{12})\.qcow2$/.exec(rest)?.[1];
}

/** Images that stacks of this clone need, as far as settings and media are valid. */
async function wantedByStacks(cache: Cache): Promise<ImageUse[]> {
  const uses: ImageUse[] = [];
  for (const stack of await knownStacks()) {
    try {
      const settings = await stackSettings(stack);
      if (isMadeFromIso(settings.windows.image)) {
        const address = await artifactAddress(windowsImage(settings, cache));
        uses.push({ hash: address.slice(imageArtifactName.length + 1), why: `stack ${stack}` });
      }
    } catch {
      // Its settings are wrong or its media are gone, so its image is unknown.
    }
  }
  return uses;
}
