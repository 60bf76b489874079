import { readOwner } from "../../toolchain/cache-lock.ts";
import type { Cache } from "../../toolchain/cache.ts";
import { isAlive } from "../../toolchain/owner.ts";

/**
 * Whether the process that makes, or removes, an entry is still at it.
 *
 * @param name of its folder among the builds: the entry's address, and the process it belongs to.
 */
export async function isLivingBuild(cache: Cache, name: string): Promise<boolean> {
  const owner = await readOwner(cache.lockFile(name.replace(/(\.removed)?\.[0-9]+$/, "")));
  return owner !== undefined && (await isAlive(owner));
}
