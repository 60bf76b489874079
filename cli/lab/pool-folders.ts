import { readdir } from "node:fs/promises";
import path from "node:path";

import { labOfPool } from "./lab-thing.ts";
import type { Finder, LabThing } from "./lab-thing.ts";
import type { Host } from "./host.ts";
import { lines, virsh } from "./host.ts";
import { poolsFolder } from "./pool-folder.ts";
import { volumesOf } from "./volumes.ts";

/** Folders of a lab's pool that no pool is defined for any more, with the disks in them. */
export const poolFolders: Finder = {
  kind: "pool folder",

  find: async (host) => {
    const folders = (await foldersOnDisk()).filter((name) => labOfPool(name) !== undefined);
    if (folders.length === 0) {
      return [];
    }
    const defined = lines(await virsh(host, "pool-list", "--all", "--name"));
    return folders
      .filter((pool) => !defined.includes(pool))
      .map((pool) => ({
        kind: poolFolders.kind,
        name: path.join(poolsFolder, pool),
        lab: labOfPool(pool) ?? pool,
        identity: undefined,
      }));
  },

  // Through a pool made for the purpose, because the folder belongs to libvirt and the user may not be root.
  remove: async (thing, host) => {
    const pool = path.basename(thing.name);
    await virsh(host, "pool-create-as", pool, "dir", "--target", thing.name);
    try {
      for (const { name } of await volumesOf(host, pool)) {
        if ([`${thing.lab}-`, `${pool}-`].some((start) => name.startsWith(start))) {
          await virsh(host, "vol-delete", "--pool", pool, name);
        }
      }
    } finally {
      await removePoolAndFolder(thing, host);
    }
  },
};

async function removePoolAndFolder(thing: LabThing, host: Host): Promise<void> {
  const pool = path.basename(thing.name);
  await virsh(host, "pool-destroy", pool);
  // Only a defined pool can have its folder deleted.
  await virsh(host, "pool-define-as", pool, "dir", "--target", thing.name);
  try {
    await virsh(host, "pool-delete", pool);
  } finally {
    await virsh(host, "pool-undefine", pool);
  }
}

async function foldersOnDisk(): Promise<readonly string[]> {
  try {
    const entries = await readdir(poolsFolder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch {
    return []; // Not there, or not for this user's eyes; then the pools' own finder is what there is.
  }
}
