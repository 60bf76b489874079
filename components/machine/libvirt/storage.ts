import { readdir } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

import { labNames } from "../../../config/names.ts";
import { Failure } from "../../../host/failure.ts";
import { lines, type Host, unlessGone } from "../../../host/host.ts";
import { virsh, virshText } from "../../../host/virsh.ts";
import { labOf, libvirtKind, statesOf } from "./pools-and-networks.ts";
import { below, readXml } from "../../../host/read-xml.ts";
import { stopIn, type HostResource, type ResourceKind } from "../../host-resource.ts";

const poolsFolder = path.dirname(labNames("any").poolFolder);

/** Lab whose pool folder contains the file, if any. */
export function labOfPoolFile(file: string): string | undefined {
  const folder = path.dirname(file);
  return path.dirname(folder) === poolsFolder ? labOf(path.basename(folder)) : undefined;
}

/**
 * Whether a volume's name is that of an image, which starts with the pool's name, or of a disk, which starts with the
 * lab's.
 */
function isOfLab(name: string, lab: string, pool: string): boolean {
  return [`${pool}-`, `${lab}-`].some((start) => name.startsWith(start));
}

const volumeKind = "libvirt volume";
const volume = (path: unknown, essential = true) => ({
  identity: `${volumeKind} ${String(path)}`,
  essential,
});

export const volumes: ResourceKind = {
  kind: volumeKind,

  find: async (host) => {
    const pools = [...(await statesOf(host, "pool"))].flatMap(([pool, state]) => {
      const lab = labOf(pool);
      return lab === undefined ? [] : [{ pool, lab, state }];
    });
    const idle = pools.filter(({ state }) => state !== "active").map(({ pool }) => pool);
    if (idle.length > 0) {
      throw new Failure(
        `the pool ${idle.join(", ")} is not active, so its disks cannot be listed: run \`virsh pool-start ${idle[0]}\``,
      );
    }
    const found = await Promise.all(
      pools.map(async ({ pool, lab }) =>
        (await volumesOf(host, pool))
          .filter(({ name }) => isOfLab(name, lab, pool))
          .map(({ name, path: file }) => ({
            kind: volumeKind,
            name,
            lab,
            locator: pool,
            identity: volume(file).identity,
          })),
      ),
    );
    return found.flat();
  },

  remove: async ({ name, locator }, host) => {
    const pool = locator ?? "";
    const names = async (): Promise<string[]> =>
      (await volumesOf(host, pool)).map((each) => each.name);
    await virsh(host, "vol-delete", "--pool", pool, name).catch(unlessGone(name, names));
  },

  byHand: ({ name, locator }, host) => virshText(host, [`vol-delete --pool ${locator} ${name}`]),

  owned: {
    // A golden image that was replaced by another one is only known from the disks that are based on it.
    "libvirt:index/volume:Volume": ({ id, inputs: { baseVolumeId } = {} }) => [
      volume(id),
      ...(typeof baseVolumeId === "string" ? [volume(baseVolumeId, false)] : []),
    ],
    // Its id is the volume's with a random part, so that a new disk of the same name is a new resource.
    "libvirt:index/cloudinitDisk:CloudinitDisk": ({ id }) => [volume(id?.split(";")[0])],
  },
};

/** Volumes of an active pool, including files that libvirt has not seen yet. */
export async function volumesOf(
  host: Host,
  pool: string,
): Promise<readonly { readonly name: string; readonly path: string }[]> {
  // A killed upload leaves a file that libvirt only sees after a refresh.
  await virsh(host, "pool-refresh", pool).catch(() => undefined);
  const pools = async (): Promise<string[]> => [...(await statesOf(host, "pool")).keys()];
  const listed = await virsh(host, "vol-list", pool).catch(unlessGone(pool, pools));
  return lines(listed).map((line) => {
    // The name and the path may contain spaces.
    const at = line.lastIndexOf(" /");
    return { name: line.slice(0, at).trim(), path: line.slice(at).trim() };
  });
}

/** Suffix of the names of identity discs. Those of a rehearsal are not closed, because their keys protect nothing. */
const identitySuffix = "-identity.iso";

/**
 * The disks among what was found on this host that other users can read. A disk has its node's keys and the hashes of
 * its passwords.
 */
export async function readableDisks(
  host: Host,
  found: readonly HostResource[],
): Promise<readonly string[]> {
  const disks = found.filter(
    ({ kind, name, hypervisor }) =>
      kind === volumeKind && hypervisor === undefined && !name.endsWith(identitySuffix),
  );
  const checked = await Promise.all(
    disks.map(async ({ name, locator = "" }) => {
      const described = readXml(await virsh(host, "vol-dumpxml", "--pool", locator, name));
      const textOf = (...names: string[]): string =>
        below(described, "volume", "target", ...names)[0]?.text ?? "";
      const mode = parseInt(textOf("permissions", "mode"), 8);
      return (mode & 0o077) === 0 ? [] : [textOf("path")];
    }),
  );
  return checked.flat();
}

const libvirtPools = libvirtKind("pool", "libvirt pool");

/** Storage pools of a lab, removed with their folder if it is empty. */
export const pools: ResourceKind = {
  ...libvirtPools,
  owned: {
    "libvirt:index/pool:Pool": ({ id, inputs: { target } = {} }) => {
      const folder = targetSchema.safeParse(target).data?.path;
      return [
        { identity: `libvirt pool ${id}`, essential: true },
        ...(folder === undefined ? [] : [{ identity: poolFolderOf(folder), essential: false }]),
      ];
    },
  },
  stops: [
    {
      ...stopIn("inactive", libvirtPools, async (host, name) => {
        await virsh(host, "pool-build", name).catch(() => undefined); // Its folder exists already.
        await virsh(host, "pool-start", name);
      }),
      neededToRemove: true, // Disks can only be deleted in an active pool.
    },
  ],
};

const targetSchema = z.object({ path: z.string() });

function poolFolderOf(folder: string): string {
  return `pool folder ${folder}`;
}

/** Pool folders of labs whose pool is gone, with the disks in them. The pool had the lab's id. */
export const poolFolders: ResourceKind = {
  kind: "pool folder",

  find: async (host) => {
    // If the folder is missing or unreadable, nothing is found.
    const entries = await readdir(poolsFolder, { withFileTypes: true }).catch(() => []);
    const folders = entries.flatMap((entry) => {
      const lab = entry.isDirectory() ? labOf(entry.name) : undefined;
      return lab === undefined ? [] : [{ pool: entry.name, lab }];
    });
    const defined = folders.length === 0 ? new Map() : await statesOf(host, "pool");
    return folders
      .filter(({ pool }) => !defined.has(pool))
      .map(({ pool, lab }) => ({
        kind: poolFolders.kind,
        name: path.join(poolsFolder, pool),
        lab,
        identity: poolFolderOf(path.join(poolsFolder, pool)),
        mark: "",
      }));
  },

  byHand: ({ name }) => `rm -r ${name}`,

  // Through a temporary pool, because the folder belongs to libvirt and the user may not be root.
  remove: async ({ name: folder, lab }, host) => {
    const pool = path.basename(folder);
    await virsh(host, "pool-create-as", pool, "dir", "--target", folder);
    try {
      for (const { name } of await volumesOf(host, pool)) {
        if (isOfLab(name, lab, pool)) {
          await virsh(host, "vol-delete", "--pool", pool, name);
        }
      }
    } finally {
      await virsh(host, "pool-destroy", pool);
      // Only a defined pool can have its folder deleted.
      await virsh(host, "pool-define-as", pool, "dir", "--target", folder);
      try {
        await virsh(host, "pool-delete", pool);
      } finally {
        await virsh(host, "pool-undefine", pool);
      }
    }
  },
};
