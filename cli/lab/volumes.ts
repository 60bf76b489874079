import { Failure } from "../../host/failure.ts";
import { labOfPool } from "./lab-thing.ts";
import type { Finder } from "./lab-thing.ts";
import type { Host } from "./host.ts";
import { lines, virsh } from "./host.ts";

/** Disks in a lab's pool, by the pool itself. */
export const volumes: Finder = {
  kind: "libvirt volume",

  find: async (host) => {
    const idle = lines(await virsh(host, "pool-list", "--inactive", "--name")).filter(
      (pool) => labOfPool(pool) !== undefined,
    );
    if (idle.length > 0) {
      throw new Failure(
        `the pool ${idle.join(", ")} does not run, so its disks cannot be seen: \`virsh pool-start ${idle[0]}\``,
      );
    }
    const pools = lines(await virsh(host, "pool-list", "--name"));
    const found = await Promise.all(
      pools.map(async (pool) => {
        const lab = labOfPool(pool);
        return lab === undefined
          ? []
          : (await volumesOf(host, pool))
              // An image is named after the pool, a machine's disk after the lab.
              .filter(({ name }) => [`${pool}-`, `${lab}-`].some((start) => name.startsWith(start)))
              .map(({ name, path }) => ({
                kind: volumes.kind,
                name,
                lab,
                identity: `libvirt volume ${path}`,
                place: pool,
              }));
      }),
    );
    return found.flat();
  },

  remove: async ({ name, place }, host) => {
    const pool = place ?? "";
    await virsh(host, "vol-delete", "--pool", pool, name).catch(async (error: unknown) => {
      if ((await volumesOf(host, pool)).some((volume) => volume.name === name)) {
        throw error;
      }
    });
  },
};

/** Volumes of a pool that runs, also those made without libvirt knowing. */
export async function volumesOf(
  host: Host,
  pool: string,
): Promise<readonly { readonly name: string; readonly path: string }[]> {
  // A killed upload leaves a file that libvirt only sees after a look.
  await virsh(host, "pool-refresh", pool).catch(() => undefined);
  return lines(await virsh(host, "vol-list", pool).catch(() => "")).map(parseVolumeLine);
}

/** One line of `virsh vol-list`: name and path; both may hold blanks, so the path begins at the last ` /`. */
export function parseVolumeLine(line: string): { readonly name: string; readonly path: string } {
  const at = line.lastIndexOf(" /");
  return { name: line.slice(0, at).trim(), path: line.slice(at).trim() };
}
