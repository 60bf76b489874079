import { readdir } from "node:fs/promises";
import path from "node:path";

import { isLabPrefix } from "./lab-thing.ts";
import type { Finder, LabThing } from "./lab-thing.ts";
import type { Host } from "./host.ts";
import { lines, virsh } from "./host.ts";
import { poolsFolder } from "./pool-folder.ts";
import { volumesOf } from "./volumes.ts";

/** Folders of a lab's pool that no pool is defined for any more, with the disks in them. */
export const poolFolders: Finder = {
  kind: "pool folder",

  find: async (host) => {
    const folders = (await foldersOnDisk()).filter(isLabPrefix);
    if (folders.length === 0) {
      return [];
    }
    const defined = lines(await virsh(host, "pool-list", "--all", "--name"));
    return folders
      .filter((lab) => !defined.includes(lab))
      .map((lab) => ({
        kind: poolFolders.kind,
        name: path.join(poolsFolder, lab),
        lab,
        identity: undefined,
      }));
  },

  // Through a pool made for the purpose, because the folder belongs to libvirt and the user may not be root.
  remove: async (thing, host) => {
    await virsh(host, "pool-create-as", thing.lab, "dir", "--target", thing.name);
    try {
      for (const { name } of await volumesOf(host, thing.lab)) {
        if (name.startsWith(`${thing.lab}-`)) {
          await virsh(host, "vol-delete", "--pool", thing.lab, name);
        }
      }
    } finally {
      await removePoolAndFolder(thing, host);
    }
  },
};

async function removePoolAndFolder(thing: LabThing, host: Host): Promise<void> {
  await virsh(host, "pool-destroy", thing.lab);
  // Only a defined pool can have its folder deleted.
  await virsh(host, "pool-define-as", thing.lab, "dir", "--target", thing.name);
  try {
    await virsh(host, "pool-delete", thing.lab);
  } finally {
    await virsh(host, "pool-undefine", thing.lab);
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
