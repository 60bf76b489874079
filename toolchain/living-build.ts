import { readdir } from "node:fs/promises";

import { readOwner } from "./cache-lock.ts";
import type { Cache } from "./cache.ts";
import { isAlive } from "./owner.ts";

/**
 * Whether the process that builds, or removes, an entry is still running.
 *
 * @param name of its folder among the builds: the entry's address, and the process.
 */
export async function isLivingBuild(cache: Cache, name: string): Promise<boolean> {
  const owner = await readOwner(cache.lockFile(name.replace(/(\.removed)?\.[0-9]+$/, "")));
  return owner !== undefined && (await isAlive(owner));
}

/** Whether any process builds an entry. */
export async function isBuilding(cache: Cache): Promise<boolean> {
  const names = await readdir(cache.buildingFolder).catch(() => [] as string[]);
  const alive = await Promise.all(names.map(async (name) => isLivingBuild(cache, name)));
  return alive.includes(true);
}
