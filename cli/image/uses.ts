import {
  imageArtifactName,
  windowsImage,
} from "../../components/windows/image/builder/image-artifact.ts";
import { isMadeFromIso } from "../../components/windows/image/media.ts";
import { artifactAddress } from "../../toolchain/cache.ts";
import type { Cache } from "../../toolchain/cache.ts";
import { lines, virsh } from "../lab/host.ts";
import type { Host } from "../lab/host.ts";
import { isLabPrefix } from "../host-resources/resource-kind.ts";
import { volumesOf } from "../host-resources/storage.ts";
import { knownStacks, stackSettings } from "../stack-settings.ts";
import type { ImageUse } from "./images.ts";

/**
 * Images that labs of this host have as the base of their machines' disks: a pool holds a copy, by the image's hash.
 *
 * @throws when libvirt is there and does not answer.
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
export function hashOfVolume(pool: string, volume: string): string | undefined {
  const rest = volume.startsWith(`${pool}-`) ? volume.slice(pool.length + 1) : "";
  return /^([0-9a-f]{12})\.qcow2$/.exec(rest)?.[1];
}

/** Images that stacks of this clone ask for, as far as their settings and media say which. */
export async function wantedByStacks(cache: Cache): Promise<ImageUse[]> {
  const uses: ImageUse[] = [];
  for (const stack of await knownStacks()) {
    try {
      const settings = await stackSettings(stack);
      if (isMadeFromIso(settings.windows.image)) {
        const address = await artifactAddress(windowsImage(settings, cache));
        uses.push({ hash: address.slice(imageArtifactName.length + 1), why: `stack ${stack}` });
      }
    } catch {
      // Its settings are wrong, or its media are gone: it asks for no image that could be told.
    }
  }
  return uses;
}
